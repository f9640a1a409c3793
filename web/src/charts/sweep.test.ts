import { describe, expect, it } from "vitest";
import { headline, label, turning } from "../words/batch.ts";
import type { Point } from "./sweep.ts";
import { batchScale, batchTicks, curve, pointsOf, saturation } from "./sweep.ts";

const FRAME = { width: 600, height: 200, left: 60, right: 12, top: 20, bottom: 20 };
const sweep = {
  field: "batch",
  values: [1, 8, 64, 128],
  fits: [true, true, true, false],
  total_bytes: [1, 2, 3, 4],
  ttft_s: [0.1, 0.8, 6.4, null],
  tpot_s: [0.01, 0.011, 0.02, null],
  e2e_s: [1, 2, 8, null],
  output_tokens_per_s: [100, 700, 710, null],
};
const points: Point[] = pointsOf(sweep);

describe("the curves", () => {
  it("leave out what does not fit and start at zero", () => {
    const x = batchScale(points, FRAME);
    const { path, ticks } = curve(points, (point) => point.rate, x, FRAME);
    expect(path.match(/[ML]/g)).toHaveLength(3);
    expect(ticks[0]!.value).toBe(0);
    expect(x(8) - x(1)).toBeCloseTo(x(64) - x(8));
  });

  it("are empty, not broken, where there is no figure at all", () => {
    const x = batchScale(points, FRAME);
    const { path, ticks } = curve(points, () => null, x, FRAME);
    expect(path).toBe("");
    for (const { at } of ticks) expect(Number.isFinite(at)).toBe(true);
  });

  it("have labels that keep clear of each other", () => {
    const ticks = batchTicks(points, batchScale(points, FRAME), 100);
    ticks.slice(1).forEach((tick, i) => expect(tick.at - ticks[i]!.at).toBeGreaterThanOrEqual(100));
  });
});

describe("its words", () => {
  it("say where it pays no more", () => {
    expect(saturation(points)?.batch).toBe(8);
    expect(headline(points)).toBe("Up to 7.10 times the throughput of one request");
    expect(turning(points)).toContain("nine tenths of the most");
    expect(label(points[3]!)).toBe("Batch 128: does not fit");
    expect(headline(points.map((point) => ({ ...point, rate: null })))).toBe("Not even one request fits");
  });
});
