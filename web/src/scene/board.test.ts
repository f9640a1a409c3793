import { expect, it } from "vitest";
import { decades, roofRate } from "./board.ts";

it("bounds an axis by powers of ten beyond what is on it", () => {
  expect(decades([20, 295, 5000])).toEqual([10, 10_000]);
  expect(decades([])).toEqual([1, 10]);
  expect(decades([0, Number.NaN, 5])).toEqual([1, 10]);
});

it("lays the roof over all points", () => {
  const points = [
    { name: "decode", intensity: 10, rate: 20 },
    { name: "prefill", intensity: 400, rate: 150 },
  ];
  // Decode on the slope reaches 200 at the knee; prefill, right of it, stays below that.
  expect(roofRate({ knee: 100, points })).toBe(200);
  expect(roofRate({ knee: 100, points: [] })).toBe(1);
});
