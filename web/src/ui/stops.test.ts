import { describe, expect, it } from "vitest";
import { byRatios, doublings, evenly, nearestStop, positionOf, stepFrom } from "./stops.ts";

const STOPS = doublings(1, 64);

describe("stops of a slider", () => {
  it("are powers of two and the values halfway between", () => {
    expect(STOPS).toEqual([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]);
  });

  it("find themselves", () => {
    for (const stop of STOPS) expect(nearestStop(positionOf(stop, STOPS), STOPS)).toBe(stop);
  });

  it("hold values between and beyond them", () => {
    expect(positionOf(41, STOPS)).toBeGreaterThan(positionOf(32, STOPS));
    expect(positionOf(41, STOPS)).toBeLessThan(positionOf(48, STOPS));
    expect(positionOf(1e9, STOPS)).toBe(STOPS.length - 1);
    expect(positionOf(0, STOPS)).toBe(0);
  });

  it("are reached one by one, from any value", () => {
    expect(stepFrom(16, 1, STOPS)).toBe(24);
    expect(stepFrom(16, -1, STOPS)).toBe(12);
    expect(stepFrom(41, 1, STOPS)).toBe(48);
    expect(stepFrom(41, -1, STOPS)).toBe(32);
    expect(stepFrom(64, 1, STOPS)).toBe(64);
    expect(stepFrom(16, -Infinity, STOPS)).toBe(1);
    expect(stepFrom(16, Infinity, STOPS)).toBe(64);
  });
});

describe("steps of one size", () => {
  it("reach both ends", () => {
    expect(evenly(1, 3, 0.5)).toEqual([1, 1.5, 2, 2.5, 3]);
    expect(evenly(0, 0.1, 0.03)).toEqual([0, 0.03, 0.06, 0.09, 0.1]);
    expect(evenly(0, 0.3, 0.1)).toEqual([0, 0.1, 0.2, 0.3]);
  });

  it("have a place for every value, zero and below included", () => {
    expect(positionOf(0.5, [0, 1, 2])).toBe(0.5);
    expect(positionOf(-0.5, [-1, 0, 1])).toBe(0.5);
  });
});

describe("steps by ratios", () => {
  it("hold both ends and every doubling, and grow", () => {
    const stops = byRatios(128, 4096, true);
    for (const stop of [128, 256, 512, 1024, 2048, 4096]) expect(stops).toContain(stop);
    expect(stops.every((stop, i) => Number.isInteger(stop) && (i === 0 || stop > stops[i - 1]!))).toBe(true);
    expect(byRatios(1, 5, true)).toEqual([1, 2, 3, 4, 5]);
    expect(byRatios(0.01, 0.015, false)).toEqual([0.01, 0.012, 0.014, 0.015]);
  });
});
