import { describe, expect, it } from "vitest";
import { DEFAULTS, sameConfig } from "./config.ts";
import { History } from "./history.svelte.ts";

const batch = (n: number) => ({ ...DEFAULTS, batch: n });

function history() {
  let time = 0;
  const made = new History(sameConfig, () => time);
  return { made, wait: (ms: number) => (time += ms) };
}

describe("undo and redo", () => {
  it("go through what was answered, one edit at a time", () => {
    const { made } = history();
    made.record(batch(16), "arrival");
    made.record(batch(17), "batch");
    made.record(batch(18), "batch");
    made.record({ ...batch(18), weights: "int4" }, "weights");
    expect(made.undo({ ...batch(18), weights: "int4" })).toEqual(batch(18));
    expect(made.undo(batch(18))).toEqual(batch(16));
    expect(made.canUndo).toBe(false);
    expect(made.redo()).toEqual(batch(18));
    expect(made.redo()).toEqual({ ...batch(18), weights: "int4" });
    expect(made.redo()).toBeNull();
  });

  it("take an edit that came back for none", () => {
    const { made } = history();
    made.record(batch(16), "arrival");
    made.record(batch(41), "batch");
    made.record(batch(16), "batch");
    expect(made.canUndo).toBe(false);
  });

  it("take a pause for the end of an edit", () => {
    const { made, wait } = history();
    made.record(batch(16), "arrival");
    made.record(batch(32), "batch");
    wait(2000);
    made.record(batch(64), "batch");
    expect(made.undo(batch(64))).toEqual(batch(32));
  });

  it("leave first what was never answered", () => {
    const { made } = history();
    made.record(batch(16), "arrival");
    expect(made.undo(batch(0))).toEqual(batch(16));
    expect(made.canUndo).toBe(false);
  });

  it("forget what was undone once something else is done", () => {
    const { made } = history();
    made.record(batch(16), "arrival");
    made.record(batch(32), "batch");
    made.undo(batch(32));
    made.record(batch(8), "batch");
    expect(made.canRedo).toBe(false);
    expect(made.undo(batch(8))).toEqual(batch(16));
  });

  it("know what an edit set out from", () => {
    const { made, wait } = history();
    made.record(batch(16), "arrival");
    expect(made.origin("batch")).toEqual(batch(16));
    made.record(batch(17), "batch");
    made.record(batch(18), "batch");
    expect(made.origin("batch")).toEqual(batch(16));
    expect(made.origin("weights")).toEqual(batch(18));
    wait(2000);
    expect(made.origin("batch")).toEqual(batch(18));
  });

  it("let an edit go on for as long as the slider is held", () => {
    const { made, wait } = history();
    made.record(batch(16), "arrival");
    made.record(batch(32), "batch");
    made.held = true;
    wait(60_000);
    expect(made.origin("batch")).toEqual(batch(16));
    made.record(batch(64), "batch");
    made.held = false;
    expect(made.undo(batch(64))).toEqual(batch(16));
  });

  it("set out anew from where an edit came back to", () => {
    const { made } = history();
    made.record(batch(8), "arrival");
    made.record(batch(16), "weights");
    made.record(batch(17), "batch");
    made.record(batch(16), "batch");
    expect(made.origin("batch")).toEqual(batch(16));
    made.record(batch(18), "batch");
    expect(made.undo(batch(18))).toEqual(batch(16));
  });
});
