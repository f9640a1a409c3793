import type { Memory, Phase, Stage } from "../api/types.ts";
import type { PartId } from "../words/figures.ts";

/** Pure geometry of the charts: lengths in per cent of the whole width. */

export interface Segment {
  part: PartId | "free";
  bytes: number;
  start: number;
  width: number;
}

export interface MemoryScale {
  segments: Segment[];
  /** Where the device's memory ends; below 100 when more is asked for than there is. */
  capacityAt: number;
  overBytes: number;
}

export const PARTS: readonly PartId[] = ["weights", "kv_cache", "workspace", "reserve"];

export function percentOf(value: number, whole: number): number {
  return whole > 0 ? (100 * value) / whole : 0;
}

/** The bar is as long as the larger of what is needed and what there is, so an overflow is shown at its true size. */
export function memoryScale(memory: Memory): MemoryScale {
  const { total_bytes, capacity_bytes } = memory;
  const whole = Math.max(total_bytes, capacity_bytes);
  const segments: Segment[] = [];
  let start = 0;
  const push = (part: Segment["part"], bytes: number) => {
    const width = percentOf(bytes, whole);
    segments.push({ part, bytes, start, width });
    start += width;
  };
  for (const part of PARTS) push(part, memory[`${part}_bytes`]);
  if (capacity_bytes > total_bytes) push("free", capacity_bytes - total_bytes);
  return {
    segments,
    capacityAt: percentOf(capacity_bytes, whole),
    overBytes: Math.max(0, total_bytes - capacity_bytes),
  };
}

export type Cost = "math" | "traffic" | "communication" | "overhead";

export interface TimeRow {
  stage: "linear" | "attention" | null;
  cost: Cost;
  seconds: number;
  /** False where a longer row of the same stage runs over it. */
  counts: boolean;
}

function stageRows(name: "linear" | "attention", stage: Stage, passes: number): TimeRow[] {
  const bound = stage.bound ?? "memory";
  return [
    { stage: name, cost: "math", seconds: stage.math_s / passes, counts: bound === "compute" },
    { stage: name, cost: "traffic", seconds: stage.data_s / passes, counts: bound === "memory" },
  ];
}

/** What one pass spends its time on; for decode, the mean of its passes. */
export function timeRows(phase: Phase, passes: number): TimeRow[] {
  return [
    ...stageRows("linear", phase.linear, passes),
    ...stageRows("attention", phase.attention, passes),
    { stage: null, cost: "communication", seconds: phase.communication_s / passes, counts: true },
    { stage: null, cost: "overhead", seconds: phase.overhead_s / passes, counts: true },
  ];
}

/** The parts that add up to the pass, in the colour of what bounds them. */
export function timeParts(phase: Phase, passes: number): { cost: Cost; seconds: number }[] {
  const cost = (stage: Stage): Cost => (stage.bound === "compute" ? "math" : "traffic");
  return [
    { cost: cost(phase.linear), seconds: phase.linear.time_s / passes },
    { cost: cost(phase.attention), seconds: phase.attention.time_s / passes },
    { cost: "communication" as const, seconds: phase.communication_s / passes },
    { cost: "overhead" as const, seconds: phase.overhead_s / passes },
  ].filter((part) => part.seconds > 0);
}
