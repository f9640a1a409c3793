import type { Deployment, Model } from "../api/types.ts";
import type { Field } from "./config.ts";
import { canShareHeads } from "./kvheads.ts";

/** Assumptions that concern only some models, of which this one is none. */
export function irrelevant(own: Model | undefined, groups: Deployment["model"]["groups"]): Field[] {
  const windows = groups.some((group) => group.window !== null || group.index_topk !== null);
  const experts = groups.some((group) => group.experts !== null);
  const without: Field[] = [];
  if (!own || !canShareHeads(own)) without.push("kv_heads");
  if (!windows) without.push("free_windows");
  if (!experts) without.push("expert_skew");
  return without;
}
