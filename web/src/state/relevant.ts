import type { LayerGroup } from "../api/types.ts";
import type { Field } from "./config.ts";

/** Assumptions that concern only some models, of which the one with these groups is none. */
export function irrelevant(groups: readonly Pick<LayerGroup, "window" | "experts">[]): Field[] {
  const without: Field[] = [];
  if (!groups.some((group) => group.window !== null)) without.push("free_windows");
  if (!groups.some((group) => group.experts !== null)) without.push("expert_skew");
  return without;
}
