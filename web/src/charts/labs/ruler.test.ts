import { describe, expect, it } from "vitest";
import type { Axis } from "../../api/labs.ts";
import { extent, ruler, spaced } from "./ruler.ts";

const axis = (rest: Partial<Axis> = {}): Axis => ({
  label: "time",
  unit: "s",
  scale: "linear",
  low: null,
  high: null,
  ...rest,
});

describe("an axis", () => {
  it("starts at zero and ends on a round value", () => {
    const made = ruler(axis(), [20, 118], [0, 1200], 4);
    expect(made.ticks.map(({ text }) => text)).toEqual(["0", "20", "40", "60", "80", "100", "120"]);
    expect(made.at(60)).toBeCloseTo(600);
    expect(made.value(600)).toBeCloseTo(60);
    expect(made.title).toBe("time, s");
  });

  it("keeps the ends it was given", () => {
    const made = ruler(axis({ unit: "fraction", label: "in use", low: 0, high: 1 }), [0.2, 0.4], [100, 0], 2);
    expect(made.at(1)).toBe(0);
    expect(made.ticks.map(({ text }) => text)).toEqual(["0", "50", "100"]);
    expect(made.title).toBe("in use, %");
  });

  it("reaches below zero where the data does", () => {
    expect(ruler(axis(), [-3, 4], [0, 7], 3).at(0)).toBeGreaterThan(0);
  });

  it("stands where there is nothing to show", () => {
    const made = ruler(axis(), extent([], [null]), [0, 10], 3);
    expect(made.ticks.length).toBeGreaterThan(1);
    expect(ruler(axis(), [0, 0], [0, 10], 3).ticks.every(({ at }) => Number.isFinite(at))).toBe(true);
  });

  it("goes by ratios where it is logarithmic, and holds a zero at its lower end", () => {
    const made = ruler(axis({ scale: "log", unit: "tokens" }), [100, 10_000], [0, 100], 3);
    expect(made.at(1000)).toBeCloseTo(50);
    expect(made.at(0)).toBe(0);
    expect(made.ticks.map(({ text }) => text)).toContain("1,000");
    expect(made.ticks.map(({ text }) => text)).toContain("10k");
  });

  it("is linear where nothing is above zero", () => {
    expect(ruler(axis({ scale: "log" }), [0, 0], [0, 10], 3).at(0)).toBe(0);
  });
});

describe("ticks", () => {
  it("keep clear of each other", () => {
    expect(spaced([{ at: 0 }, { at: 10 }, { at: 45 }, { at: 80 }], 40)).toEqual([{ at: 0 }, { at: 45 }]);
  });
});
