import type { EngineMemory } from "../api/types.ts";
import { percentOf } from "./scales.ts";

/** Parts of a device's memory as an engine divides it, in the order of the bar. */
export type EnginePart = "weights" | "activation" | "graphs" | "other" | "cache" | "beyond" | "kept";

export interface EngineSegment {
  part: EnginePart;
  bytes: number;
  width: number;
}

export interface EngineScale {
  segments: EngineSegment[];
  /** Where what the engine may take ends, and where the device does; below 100 when more is asked for than there is. */
  budgetAt: number;
  deviceAt: number;
}

/** The bar is as long as the device, or as all that would be taken where that is more. */
export function engineScale(memory: EngineMemory): EngineScale {
  const { device_memory_bytes: device, budget_bytes: budget } = memory;
  const within: [EnginePart, number][] = [
    ["weights", memory.weights_bytes],
    ["activation", memory.activation_bytes],
    ["graphs", memory.graph_bytes],
    ["other", memory.other_bytes],
    ["cache", memory.kv_cache_bytes],
  ];
  const taken = within.reduce((sum, [, bytes]) => sum + bytes, 0);
  const beyond = Math.max(0, Math.min(memory.graph_beyond_bytes, device - Math.max(taken, budget)));
  const kept = Math.max(0, device - taken - beyond);
  const whole = Math.max(device, taken);
  const all: [EnginePart, number][] = [...within, ["beyond", beyond], ["kept", kept]];
  return {
    segments: all.map(([part, bytes]) => ({ part, bytes, width: percentOf(bytes, whole) })),
    budgetAt: percentOf(budget, whole),
    deviceAt: percentOf(device, whole),
  };
}
