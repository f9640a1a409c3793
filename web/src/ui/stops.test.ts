import { describe, expect, it } from "vitest";
import { doublings, nearestStop, positionOf, stepFrom } from "./stops.ts";

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
