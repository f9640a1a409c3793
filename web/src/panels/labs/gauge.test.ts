import { describe, expect, it } from "vitest";
import { gauge } from "./gauge.ts";

const most = (at_most: number) => ({ at_most, at_least: null });

describe("the gauge of a star", () => {
  it("has the bound in its middle", () => {
    expect(gauge(most(2), 2)).toBe(0.5);
    expect(gauge({ at_most: null, at_least: 90 }, 90)).toBe(0.5);
    expect(gauge(most(0), 0)).toBe(0.5);
  });

  it("stands as far off for half as for twice", () => {
    expect(gauge(most(2), 1)! + gauge(most(2), 4)!).toBeCloseTo(1, 12);
    expect(gauge(most(2), 1)).toBeLessThan(0.5);
  });

  it("ends where it ends", () => {
    expect(gauge(most(2), 2000)).toBe(1);
    expect(gauge(most(2), 1e-9)).toBe(0);
    expect(gauge(most(0), 40)).toBe(1);
    expect(gauge(most(5), 0)).toBe(0);
  });

  it("is empty without a figure", () => {
    expect(gauge(most(2), null)).toBeNull();
    expect(gauge(null, 2)).toBeNull();
  });
});
