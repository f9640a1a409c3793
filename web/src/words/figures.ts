/** The numbers of the page that open their formula. */

export type FigureId = "ttft" | "tpot" | "throughput" | "e2e" | "cost";
export type PartId = "weights" | "kv_cache" | "workspace" | "reserve";
export type MeasureId = "knee" | "communication";
export type Explained = FigureId | PartId | MeasureId;

export const TITLES: Record<Explained, string> = {
  ttft: "Time to first token",
  tpot: "Time per output token",
  throughput: "Output throughput",
  e2e: "End to end",
  cost: "Cost per million output tokens",
  weights: "Memory for the weights",
  kv_cache: "Memory for the KV cache",
  workspace: "Memory for the workspace",
  reserve: "Memory in reserve",
  knee: "Knee of the roofline",
  communication: "Time in exchanges",
};
