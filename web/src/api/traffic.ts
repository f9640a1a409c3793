/** Traffic under several schedulers: what is asked, and what comes back. Times in seconds, counts whole. */
import type { components } from "./schema.d.ts";
import type { Answered } from "./types.ts";

type Schemas = components["schemas"];

/** Begins every question about a comparison. */
export interface TrafficQuestion {
  deployment: Record<string, unknown>;
  traffic?: Record<string, unknown>;
  trace?: Record<string, unknown>;
  schedulers: readonly Record<string, unknown>[];
  ttft_target_s: number | null;
  tpot_target_s: number | null;
}

export type Comparison = Answered<Schemas["Comparison"]>;
export type Run = Comparison["runs"][number];
export type Summary = NonNullable<Run["summary"]>;
export type Distribution = Comparison["distributions"]["ttft"];
export type Window = Comparison["window"];
export type WindowRun = NonNullable<Window["runs"][number]>;
export type Bins = WindowRun["bins"];
/** Columns of the requests shown, aligned with the window's own; null where a request was rejected. */
export type Lives = WindowRun["requests"];
export type Step = Answered<Schemas["Step"]>;
export type SlotAnswer = Answered<Schemas["SlotsAnswer"]>;
export type SlotRun = SlotAnswer["static"];

export const PHASES = ["queue", "prefill", "decode", "stalled", "preempted"] as const;
export type Phase = (typeof PHASES)[number];

/** Where time went: seven parts that sum to it. */
export type Parts = Answered<Schemas["Parts"]>;
export type Part = keyof Parts;
export const PARTS: readonly Part[] = [
  "wait_slots_s",
  "wait_blocks_s",
  "wait_order_s",
  "prefill_s",
  "decode_s",
  "stall_s",
  "recompute_s",
];

export type RequestLife = Answered<Schemas["RequestLife"]>;

export interface Progress {
  done: number;
  of: number;
}
