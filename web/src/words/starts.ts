import type { Config } from "../state/config.ts";
import type { SectionId } from "./sections.ts";

export const START_IDS = ["decode", "users", "heads", "devices"] as const;
export type StartId = (typeof START_IDS)[number];

/** A question that leads in: the configuration that shows it, the section that answers it, and what to look at. */
export interface Start {
  id: StartId;
  question: string;
  section: SectionId;
  values: Partial<Config>;
  /** What is pinned to compare with, where the answer lies in a difference. */
  baseline?: Partial<Config>;
  /** Two sentences. */
  look: string;
}

export const STARTS: readonly Start[] = [
  {
    id: "decode",
    question: "Why is decode slow?",
    section: "bottleneck",
    values: { batch: 1 },
    look: "Look at the decode step: reading the weights fills nearly all of it, and the arithmetic for one token is a hairline beside it. Press “Batch 2” or “Weights fp8” under it and watch which bar moves.",
  },
  {
    id: "users",
    question: "How many users fit?",
    section: "fit",
    values: { prompt_tokens: 4096, output_tokens: 512 },
    look: "Look at the KV cache, which grows with every user while the weights stay: the batch under “The most that fits” is the number of users at this length. Press it, then halve the prompt or choose an fp8 cache, and see it grow.",
  },
  {
    id: "heads",
    question: "What does sharing KV heads buy?",
    section: "compare",
    values: { prompt_tokens: 8192, batch: 8 },
    baseline: { prompt_tokens: 8192, batch: 8, kv_heads: 32 },
    look: "The baseline is the same model with a KV head for each of its 32 query heads; here four query heads share one. Look at the attention row of the decode step, and at how much more room the cache now leaves under “Will it fit?”.",
  },
  {
    id: "devices",
    question: "When does a second GPU help?",
    section: "split",
    values: { tensor_parallel: 2, link_bytes_per_s: 31e9 },
    look: "Two devices over PCIe 4 nearly halve the decode step, yet the first token comes later than from one: the prefill has far more activations to exchange. Choose NVLink 4 and compare the rows again.",
  },
];

export function startOf(id: StartId | null): Start | null {
  return STARTS.find((start) => start.id === id) ?? null;
}
