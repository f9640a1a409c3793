// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Outcome } from "../api/client.ts";
import type { LabAnswer } from "../api/labs.ts";
import { LAB } from "../testing/lab.ts";
import { extras } from "./extras.svelte.ts";

const waiting = vi.hoisted(() => [] as ((outcome: unknown) => void)[]);
vi.mock("../api/labs.ts", async (original) => ({
  ...(await original<object>()),
  askRun: () => new Promise((resolve) => waiting.push(resolve)),
}));

const { labs } = await import("./labs.svelte.ts");
const { lablist } = await import("./lablist.svelte.ts");

/** The question asked first is answered; whatever that leads to has happened. */
async function answer(): Promise<void> {
  const outcome: Outcome<LabAnswer> = { kind: "answer", answer: { tiles: [] } as unknown as LabAnswer };
  waiting.shift()?.(outcome);
  await new Promise((resolve) => setTimeout(resolve));
}

beforeEach(() => {
  waiting.length = 0;
  lablist.all = [LAB];
});

describe("a lab that an address opens", () => {
  it("keeps what arrived last, whatever was still being asked", async () => {
    labs.arrive({ lab: "dice" });
    await answer();
    labs.arrive({ lab: "dice", "lab.rate": "10" });
    labs.arrive({ lab: "dice" });
    await answer();
    expect(extras.of("labs")).toEqual({ lab: "dice" });
    await answer();
    expect(extras.of("labs")).toEqual({ lab: "dice" });
    expect(labs.setup.settings["rate"]).toBe(5);
    expect(labs.pending).toBe(false);
  });
});
