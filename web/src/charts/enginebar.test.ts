import { describe, expect, it } from "vitest";
import type { EngineMemory } from "../api/types.ts";
import { engineScale } from "./enginebar.ts";

const MEMORY = {
  device_memory_bytes: 100,
  budget_bytes: 90,
  weights_bytes: 40,
  activation_bytes: 10,
  graph_bytes: 0,
  other_bytes: 5,
  kv_cache_bytes: 34,
  graph_beyond_bytes: 4,
} as EngineMemory;

describe("the bar of an engine's memory", () => {
  it("is as long as the device, and every byte is in it", () => {
    const { segments, budgetAt, deviceAt } = engineScale(MEMORY);
    expect(segments.map(({ bytes }) => bytes).reduce((a, b) => a + b)).toBe(100);
    expect(segments.find(({ part }) => part === "beyond")?.bytes).toBe(4);
    expect(segments.find(({ part }) => part === "kept")?.bytes).toBe(7);
    expect([budgetAt, deviceAt]).toEqual([90, 100]);
  });

  it("grows with what does not fit", () => {
    const { segments, deviceAt } = engineScale({ ...MEMORY, weights_bytes: 180, kv_cache_bytes: 0 });
    expect(deviceAt).toBeLessThan(100);
    expect(segments.map(({ width }) => width).reduce((a, b) => a + b)).toBeCloseTo(100);
    expect(segments.find(({ part }) => part === "kept")?.bytes).toBe(0);
  });

  it("never shows more beyond the budget than the device has", () => {
    const { segments } = engineScale({ ...MEMORY, graph_beyond_bytes: 1000 });
    expect(segments.find(({ part }) => part === "beyond")?.bytes).toBe(10);
  });
});
