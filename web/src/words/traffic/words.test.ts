import { describe, expect, it } from "vitest";
import type { RequestLife, SlotRun, Step } from "../../api/traffic.ts";
import { FIELDS } from "../../state/traffic/settings.ts";
import { ALL, HEAD, bestAt } from "./figures.ts";
import { LABELS, describe as help } from "./labels.ts";
import { lifeWords, moment, speedWords, stepWords } from "./moments.ts";
import { TRAFFIC_EXPERIMENTS, compared, figureName } from "./experiments.ts";
import { doneAfter, idleUntil, waitingAfter } from "./story.ts";

const RUN: SlotRun = {
  iterations: 2,
  used: 3,
  idle: 1,
  first: [1, 1, 2],
  last: [2, 1, 2],
  occupancy: [
    [0, 1],
    [0, 2],
  ],
};

describe("what is said of traffic", () => {
  it("has a label and a whole sentence for every control", () => {
    for (const field of FIELDS) {
      expect(LABELS[field].label).toBeTruthy();
      expect(help(field)).toMatch(/^[A-Z].*[.!?]$/);
    }
  });

  it("counts idle slots, and who is done", () => {
    const idle = {
      ...RUN,
      occupancy: [
        [0, null],
        [0, 2],
      ],
    };
    expect([idleUntil(idle, 0), idleUntil(idle, 1), idleUntil(idle, 2)]).toEqual([0, 1, 1]);
    expect([doneAfter(RUN, 0), doneAfter(RUN, 1), doneAfter(RUN, 2)]).toEqual([0, 1, 3]);
    expect(waitingAfter(RUN, 1)).toEqual([2]);
  });

  it("marks the best, unless all are alike", () => {
    const [ttft] = HEAD;
    expect([...bestAt(ttft!, [{ ttft_p99_s: 2 }, { ttft_p99_s: 1 }, null])]).toEqual([1]);
    expect(bestAt(ttft!, [{ ttft_p99_s: 1 }, { ttft_p99_s: 1 }]).size).toBe(0);
    expect(
      bestAt(
        ALL.find(({ better }) => better === null)!,
        [{ batch_mean: 1 }, { batch_mean: 2 }],
      ).size,
    ).toBe(0);
  });

  it("tells a moment finely enough for an iteration", () => {
    expect(moment(12.3456)).toBe("12.346\u00a0s");
    expect(moment(0)).toBe("0.00\u00a0s");
  });

  it("writes speeds in full", () => {
    expect([0.01, 1, 50, 1000].map(speedWords)).toEqual(["0.01×", "1×", "50×", "1,000×"]);
  });

  it("tells what an iteration does, and where there is none", () => {
    const step: Step = {
      row: 4,
      rows: 90,
      start_s: 1,
      end_s: 1.04,
      running: 3,
      waiting: 2,
      kv_blocks: 10,
      kv_occupancy: 0.5,
      prefill_tokens: 512,
      decoding: 3,
      decode_s: 0.01,
    };
    const words = stepWords(step, null).replaceAll("\u00a0", " ");
    expect(words).toContain("Row 5 of 90: 512 prompt tokens, 3 decoding, 2 waiting");
    expect(words).toContain("It takes 40.0 ms, 30.0 ms of it prefill they wait for.");
    expect(stepWords(null, "next")).toBe("There is no later iteration.");
  });

  it("tells a life, and a rejection", () => {
    const life = { rejected: false, ttft_s: 0.1, e2e_s: 2, preemptions: 2 } as RequestLife;
    expect(lifeWords(life).replaceAll("\u00a0", " ")).toBe(
      "first token after 100 ms, done after 2.00 s, preempted 2 times",
    );
    expect(lifeWords({ ...life, rejected: true })).toContain("rejected");
  });

  it("can tell the figure of every experiment", () => {
    for (const { figure } of TRAFFIC_EXPERIMENTS) {
      expect(compared(figure, { [figure]: 1 }, { [figure]: 2 })?.ratio, figure).toBe(2);
      expect(figureName(figure), figure).not.toBe(figure);
    }
  });

  it("compares the two sides of an experiment", () => {
    const result = compared("itl_p99_s", { itl_p99_s: 0.1 }, { itl_p99_s: 0.05 });
    expect(result?.ratio).toBe(0.5);
    expect(result?.words.replaceAll("\u00a0", " ")).toBe("It falls 2.00 times: from 100 ms to 50.0 ms.");
    expect(compared("itl_p99_s", null, { itl_p99_s: 1 })).toBeNull();
  });
});
