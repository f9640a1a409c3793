import type { Model } from "../api/types.ts";

/** What a model must keep when only the number of its KV heads changes; groups follow from it again. */
const KEPT = [
  "parameters",
  "layers",
  "query_heads",
  "head_dim",
  "hidden_size",
  "vocab_size",
  "tied_embeddings",
  "context_length",
  "checkpoint_format",
] as const;

/** Only a model of plain layers all alike can be given other KV heads without knowing more about it. */
export function canShareHeads(model: Pick<Model, "features">): boolean {
  return model.features.length === 0;
}

/**
 * The model with other KV heads, as the API takes it; null where it cannot be derived. The parameters stay as they
 * are: the key and value projections are a few per cent of them, and the comparison is about the cache.
 */
export function withKvHeads(model: Model, heads: number): Record<string, unknown> | null {
  if (!canShareHeads(model)) return null;
  if (heads === model.kv_heads) return null;
  const kept = Object.fromEntries(KEPT.map((field) => [field, model[field]]));
  return { ...kept, name: `${model.name} with ${heads} KV head${heads === 1 ? "" : "s"}`, kv_heads: heads };
}

/** The counts that evenly share the query heads: 1, 2, 4 … up to one for each. */
export function headChoices(queryHeads: number): number[] {
  const all = Array.from({ length: Math.min(queryHeads, 1024) }, (_, i) => i + 1);
  return all.filter((heads) => queryHeads % heads === 0);
}
