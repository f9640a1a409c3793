import { describe, expect, it } from "vitest";
import { EXAMPLE, TOO_LARGE } from "../testing/answers.ts";
import { memoryScale, percentOf, timeParts, timeRows } from "./scales.ts";

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

describe("the memory bar", () => {
  it("is full to the device where everything fits", () => {
    const scale = memoryScale(EXAMPLE.memory);
    expect(scale.segments.map(({ part }) => part)).toEqual(["weights", "kv_cache", "workspace", "reserve", "free"]);
    expect(sum(scale.segments.map(({ width }) => width))).toBeCloseTo(100);
    expect(scale).toMatchObject({ capacityAt: 100, overBytes: 0 });
  });

  it("runs over the device by as much as is too much", () => {
    const scale = memoryScale(TOO_LARGE.memory);
    const { total_bytes, capacity_bytes } = TOO_LARGE.memory;
    expect(scale.segments.map(({ part }) => part)).not.toContain("free");
    expect(sum(scale.segments.map(({ width }) => width))).toBeCloseTo(100);
    expect(scale.capacityAt).toBeCloseTo((100 * capacity_bytes) / total_bytes);
    expect(scale.overBytes).toBe(total_bytes - capacity_bytes);
  });

  it("has no length where there is nothing to divide by", () => {
    expect(percentOf(1, 0)).toBe(0);
  });
});

describe("the time bars", () => {
  it("add up to the phase", () => {
    for (const [phase, passes] of [[EXAMPLE.prefill!, 1] as const, [EXAMPLE.decode!, 255] as const]) {
      expect(sum(timeParts(phase, passes).map(({ seconds }) => seconds))).toBeCloseTo(phase.time_s / passes, 12);
    }
  });

  it("mark which of two overlapping rows counts", () => {
    const counted = timeRows(EXAMPLE.decode!, 255).filter((row) => row.counts);
    expect(counted.map(({ stage, cost }) => [stage, cost])).toEqual([
      ["linear", "traffic"],
      ["attention", "traffic"],
      [null, "communication"],
      [null, "overhead"],
    ]);
  });
});
