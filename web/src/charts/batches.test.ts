import { describe, expect, it } from "vitest";
import { batchStops } from "./batches.ts";

describe("the batches of a sweep", () => {
  it("go by ratios to the largest that fits, and a little beyond", () => {
    const stops = batchStops(263);
    expect(stops.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(stops).toContain(263);
    expect(stops).not.toContain(256);
    expect(stops.filter((stop) => stop > 263)).toHaveLength(3);
    expect([...stops].sort((a, b) => a - b)).toEqual(stops);
  });

  it("are few where little or nothing fits", () => {
    expect(batchStops(1)[0]).toBe(1);
    expect(batchStops(1).length).toBeGreaterThan(1);
    expect(batchStops(null)).toEqual([1, 2, 3, 4, 6, 8]);
  });
});
