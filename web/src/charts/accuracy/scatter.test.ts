import { describe, expect, it } from "vitest";
import type { Row } from "../../state/accuracy/rows.ts";
import { draw, nearest } from "./scatter.ts";

const FRAME = { width: 400, height: 400, left: 50, right: 10, top: 10, bottom: 50 };

const row = (measured: number, predicted: number | null, ends: Partial<Row> = {}) =>
  ({ measured, predicted, low: null, high: null, ...ends }) as Row;

describe("the scatter", () => {
  it("puts a right prediction on the line of equal values", () => {
    const { places, equal } = draw([row(0.001, 0.001), row(1, 1)], FRAME);
    const [, x1, y1, x2, y2] = /M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)/.exec(equal)!.map(Number);
    for (const { x, y } of places) expect((y - y1!) / (x - x1!)).toBeCloseTo((y2! - y1!) / (x2! - x1!), 2);
  });

  it("marks what is off by more than a quarter, either way, and leaves out what has no prediction", () => {
    const { places } = draw([row(1, 1.2), row(1, 1.3), row(1, 0.82), row(1, 0.78), row(1, null)], FRAME);
    expect(places.map(({ off }) => off)).toEqual([false, true, false, true]);
  });

  it("keeps everything inside the frame, intervals included", () => {
    const { places, ticks } = draw([row(0.02, 0.021, { low: 1e-9, high: 1e9 }), row(0.03, 0.025)], FRAME);
    for (const { x, y, low, high } of places) {
      expect(x).toBeGreaterThanOrEqual(50);
      expect(x).toBeLessThanOrEqual(390);
      expect(y).toBeGreaterThanOrEqual(10);
      expect(y).toBeLessThanOrEqual(350);
      if (low !== null && high !== null) expect([low, high]).toEqual([350, 10]);
    }
    expect(ticks.x.map(({ value }) => value)).toEqual([0.02]);
  });

  it("has ticks at powers of ten over many decades", () => {
    const { ticks } = draw([row(0.0011, 0.002), row(90, 80)], FRAME);
    expect(ticks.y.map(({ value }) => value)).toEqual([0.001, 0.01, 0.1, 1, 10, 100]);
  });

  it("draws nothing of nothing", () => {
    expect(draw([], FRAME).places).toEqual([]);
  });
});

describe("the nearest", () => {
  const { places } = draw([row(0.01, 0.01), row(1, 1)], FRAME);

  it("is found within reach", () => {
    expect(nearest(places, places[1]!.x + 5, places[1]!.y - 5)).toBe(1);
    expect(nearest(places, (places[0]!.x + places[1]!.x) / 2, 20)).toBeNull();
  });
});
