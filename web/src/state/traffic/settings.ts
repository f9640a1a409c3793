import fields from "../../api/fields.json";
import type { Rule } from "../config.ts";
import type { Lengths } from "./lengths.ts";

/** How arrivals come: open loops at a rate, or a closed loop of clients. */
export const PROCESSES = ["poisson", "gamma", "constant", "clients"] as const;
export type Process = (typeof PROCESSES)[number];

/** A stretch of time in which the rate is multiplied. */
export interface Burst {
  start_s: number;
  end_s: number;
  factor: number;
}

/** What the traffic page's controls hold: one flat record, values in base SI units. */
export interface Settings {
  /** A file of one's own in place of drawn requests: its tag; null draws them. */
  trace: string | null;
  /** Random arrivals in place of a file's own; null keeps those. */
  trace_requests_per_s: number | null;
  requests: number;
  process: Process;
  requests_per_s: number;
  burstiness: number;
  clients: number;
  think_s: number;
  burst: Burst | null;
  prompt: Lengths;
  output: Lengths;
  seed: number;
  ttft_target_s: number | null;
  tpot_target_s: number | null;
  admission: string;
  max_num_seqs: number | null;
  max_num_batched_tokens: number | null;
  max_prefill_tokens_per_step: number | null;
  block_size: number;
  kv_blocks: number | null;
  watermark_fraction: number;
}

export type Field = keyof Settings;

const BURST: Rule = {
  type: "string",
  description: "a stretch of time in which the arrival rate is multiplied: from, until, times",
  nullable: true,
};
const LENGTHS = (of: string): Rule => ({ type: "string", description: `tokens of each ${of}` });

const RULES = {
  ...fields.traffic,
  ...fields.scheduler,
  ...fields.targets,
  requests: { ...fields.traffic.requests, maximum: 1_000_000 },
  // What a number of JavaScript holds exactly.
  seed: { ...fields.traffic.seed, maximum: Number.MAX_SAFE_INTEGER },
  process: { ...fields.traffic.process, options: [...PROCESSES] },
  requests_per_s: { ...fields.traffic.requests_per_s, nullable: false },
  trace_requests_per_s: fields.traffic.requests_per_s,
  clients: { ...fields.traffic.clients, nullable: false },
  burst: BURST,
  prompt: LENGTHS("prompt"),
  output: LENGTHS("output"),
} as unknown as Record<string, Rule>;

/** What the API says of a field, within what the page asks for. */
export function ruleOf(field: Field): Rule {
  return RULES[field] ?? { type: "string", description: "" };
}

/** Limits of the scheduler, shared by the three policies. */
export const LIMITS = [
  "admission",
  "max_num_seqs",
  "max_num_batched_tokens",
  "max_prefill_tokens_per_step",
  "block_size",
  "kv_blocks",
  "watermark_fraction",
] as const satisfies readonly Field[];

/** In the order in which a link spells them. A file cannot go into a link. */
export const FIELDS: readonly Field[] = [
  "requests_per_s",
  "requests",
  "process",
  "burstiness",
  "clients",
  "think_s",
  "burst",
  "prompt",
  "output",
  "seed",
  "ttft_target_s",
  "tpot_target_s",
  ...LIMITS,
];

export function sameValue(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

export function sameSettings(a: Settings, b: Settings): boolean {
  const files = a.trace === b.trace && a.trace_requests_per_s === b.trace_requests_per_s;
  return files && FIELDS.every((field) => sameValue(a[field], b[field]));
}
