// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ownText, tagOf } from "./own.ts";
import { OWN_KEY } from "./storage.ts";

const named = (name: string) => ownText({ name });

beforeEach(() => {
  vi.resetModules();
  localStorage.clear();
});

async function shelf() {
  return (await import("./shelf.svelte.ts")).shelf;
}

describe("the shelf", () => {
  it("keeps the newest first, each once, and brings them back", async () => {
    const first = await shelf();
    for (const name of ["a", "b", "a"]) first.keep("model", named(name));
    vi.resetModules();
    expect((await shelf()).of("model")).toEqual([named("b"), named("a")]);
    expect((await shelf()).of("accelerator")).toEqual([]);
  });

  it("resolves tags, replaces and removes", async () => {
    const it = await shelf();
    it.keep("accelerator", named("a"));
    expect(it.resolve("accelerator", tagOf(named("a")))).toBe(named("a"));
    expect(it.resolve("accelerator", "l4")).toBe("l4");
    it.replace("accelerator", named("a"), named("b"));
    expect(it.of("accelerator")).toEqual([named("b")]);
    it.remove("accelerator", named("b"));
    expect(it.of("accelerator")).toEqual([]);
  });

  it("forgets the oldest", async () => {
    const it = await shelf();
    for (let i = 0; i < 20; i += 1) it.keep("model", named(String(i)));
    expect(it.of("model")).toHaveLength(12);
    expect(it.of("model")[0]).toBe(named("19"));
  });

  it.each(["", "{", "null", "[]", '{"model":7}', '{"model":["l4",7,"{","{}"]}'])(
    "takes nothing from damaged storage: %s",
    async (text) => {
      localStorage.setItem(OWN_KEY, text);
      expect((await shelf()).of("model")).toEqual([]);
    },
  );
});
