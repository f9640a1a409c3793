import { describe, expect, it } from "vitest";
import type { Window } from "../../api/traffic.ts";
import { cumulate, shareBelow } from "./cdf.ts";
import { binsIn, highest, levelAt, meanOf } from "./levels.ts";
import { requestAt, rowsIn, scalesOf } from "./lives.ts";
import { neighbour } from "./neighbours.ts";

const bins = (running: number[]) => ({
  running,
  waiting: [0, 0, 0, 0],
  kv_occupancy: [0, 0.5, 0.5, 0],
  queue: [1, 0, 0, 0],
  prefill: [0, 1, 0, 0],
  decode: running,
  stalled: [0, 0, 0, 0],
  preempted: [0, 0, 0, 0],
});

const run = (finished_s: (number | null)[], running: number[]) => ({
  bins: bins(running),
  totals: {} as never,
  requests: { arrival_s: [0, 2, 4], admitted_s: [0, 2, null], first_token_s: [1, 3, null], finished_s },
  preempted: { request: [], start_s: [], end_s: [] },
  pass_count: 0,
  passes: null,
});

const WINDOW = {
  start_s: 0,
  end_s: 8,
  bins: 4,
  requests: {
    first: 0,
    last: 5,
    every: 2,
    count: 6,
    request: [0, 2, 4],
    prompt_tokens: [1, 1, 1],
    output_tokens: [1, 1, 1],
  },
  runs: [run([2, 6, null], [1, 2, 3, 0]), null, run([2, 4, null], [4, 2, 3, 0])],
} as unknown as Window;

describe("rows of the timeline", () => {
  it("are the requests alive under any policy", () => {
    expect(rowsIn(WINDOW, { start: 0, end: 8 })).toEqual({ first: 0, last: 5 });
    expect(rowsIn(WINDOW, { start: 5, end: 8 })).toEqual({ first: 2, last: 3 });
    expect(rowsIn(WINDOW, { start: 4, end: 4.5 })).toEqual({ first: 2, last: 5 });
  });

  it("fill the height, the requests that one stands for included", () => {
    const { x, y, row } = scalesOf({ start: 0, end: 8 }, { first: 0, last: 5 }, 2, { width: 80, height: 60 });
    expect([x(0), x(8), y(0), y(4), row]).toEqual([0, 80, 0, 40, 20]);
  });

  it("are found by where one points", () => {
    const size = { width: 80, height: 60 };
    const at = (y: number) => requestAt(WINDOW, { start: 0, end: 8 }, size, y);
    expect([at(5), at(25), at(59)]).toEqual([0, 2, 4]);
  });

  it("are gone through one by one", () => {
    const range = { start: 0, end: 8 };
    expect(neighbour(WINDOW, range, null, 1)).toBe(0);
    expect(neighbour(WINDOW, range, 0, 1)).toBe(2);
    expect(neighbour(WINDOW, range, 4, 1)).toBe(4);
    expect(neighbour(WINDOW, range, null, -1)).toBe(4);
  });
});

describe("levels over time", () => {
  it("share one height under all policies", () => {
    expect(binsIn(WINDOW, { start: 1, end: 5 })).toEqual({ from: 0, to: 3 });
    expect(highest(WINDOW, { start: 0, end: 8 }, ["decode", "prefill"])).toBe(4);
    expect(highest(WINDOW, { start: 2, end: 8 }, ["decode"])).toBe(3);
  });

  it("are told at a moment and on average", () => {
    const { bins: of } = WINDOW.runs[0]!;
    expect(levelAt(WINDOW, of, "running", 3)).toBe(2);
    expect(levelAt(WINDOW, of, "running", 8)).toBe(0);
    expect(levelAt(WINDOW, of, "running", 9)).toBeNull();
    expect(meanOf(WINDOW, of, { start: 0, end: 8 }, "running")).toBe(1.5);
  });
});

describe("a distribution", () => {
  const distribution = { edges_s: [0.1, 1, 10], counts: [[3, 1]] };

  it("grows from nothing to all", () => {
    expect(cumulate([3, 1])).toEqual([0, 0.75, 1]);
    expect(cumulate([])).toEqual([0]);
  });

  it("says the share below a limit, by ratio within a bin", () => {
    const share = (limit: number) => shareBelow(distribution, [3, 1], limit);
    expect([share(0.05), share(1), share(20)]).toEqual([0, 0.75, 1]);
    expect(share(Math.sqrt(10))).toBeCloseTo(0.875, 12);
  });
});
