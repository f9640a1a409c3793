// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import Combobox from "./Combobox.svelte";
import type { Option } from "./filter.ts";

const OPTIONS: Option[] = ["llama", "qwen", "mistral"].map((id) => ({
  id,
  name: id,
  detail: "",
  group: "all",
  also: [],
}));

function open() {
  const onchoose = vi.fn();
  render(Combobox, {
    id: "model",
    noun: "model",
    options: OPTIONS,
    value: "llama",
    describedby: "",
    invalid: false,
    onchoose,
  });
  return { onchoose, input: screen.getByRole<HTMLInputElement>("combobox") };
}

const press = (input: HTMLElement, key: string) => fireEvent.keyDown(input, { key });
const active = (input: HTMLElement) => input.getAttribute("aria-activedescendant");

Element.prototype.scrollIntoView = () => undefined;
afterEach(cleanup);

describe("a searchable list", () => {
  it("opens on the choice in use and takes another by keyboard", async () => {
    const { onchoose, input } = open();
    await press(input, "ArrowDown");
    expect(input.getAttribute("aria-expanded")).toBe("true");
    expect(active(input)).toBe("model-option-llama");
    await press(input, "ArrowDown");
    expect(active(input)).toBe("model-option-qwen");
    await press(input, "Enter");
    expect(onchoose).toHaveBeenCalledExactlyOnceWith("qwen");
    expect(input.getAttribute("aria-expanded")).toBe("false");
  });

  it("changes nothing on Escape", async () => {
    const { onchoose, input } = open();
    await fireEvent.input(input, { target: { value: "mis" } });
    expect(active(input)).toBe("model-option-mistral");
    await press(input, "Escape");
    expect(onchoose).not.toHaveBeenCalled();
    expect(input.value).toBe("llama");
  });

  it("says when nothing matches", async () => {
    const { onchoose, input } = open();
    await fireEvent.input(input, { target: { value: "zzz" } });
    expect(screen.getByText("No model matches “zzz”.")).toBeTruthy();
    expect(active(input)).toBeNull();
    await press(input, "Enter");
    expect(onchoose).not.toHaveBeenCalled();
  });
});
