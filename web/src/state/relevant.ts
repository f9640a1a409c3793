import type { Deployment, Model } from "../api/types.ts";
import type { Config, Field } from "./config.ts";
import { isCalibrated } from "./config.ts";
import { canShareHeads } from "./kvheads.ts";

/** What a profile puts its measured terms in the place of. */
const ASSUMED: readonly Field[] = [
  "compute_utilization",
  "bandwidth_utilization",
  "pass_overhead_s",
  "link_utilization",
  "all_reduce_latency_s",
];

/** Assumptions that concern only some models, of which this one is none, or only the textbook's figures. */
export function irrelevant(own: Model | undefined, groups: Deployment["model"]["groups"], config: Config): Field[] {
  const windows = groups.some((group) => group.window !== null || group.index_topk !== null);
  const experts = groups.some((group) => group.experts !== null);
  const without: Field[] = [];
  if (!own || !canShareHeads(own)) without.push("kv_heads");
  if (!windows) without.push("free_windows");
  if (!experts) without.push("expert_skew");
  if (isCalibrated(config)) without.push(...ASSUMED);
  return without;
}
