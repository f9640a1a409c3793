import type { Kind } from "../../state/traffic/lengths.ts";
import type { Field, Process } from "../../state/traffic/settings.ts";
import { ruleOf } from "../../state/traffic/settings.ts";
import type { Label } from "../labels.ts";

export const LABELS: Record<Field, Label> = {
  trace: { label: "File of requests" },
  trace_requests_per_s: { label: "Rate instead", unit: "requests/s", step: 0.5 },
  requests_per_s: { label: "Rate", unit: "requests/s", step: 0.5 },
  requests: { label: "Requests", unit: "in all", step: 100 },
  process: { label: "Arrivals" },
  burstiness: { label: "Burstiness", step: 0.05 },
  clients: { label: "Clients", step: 1 },
  think_s: { label: "Pause", unit: "s", step: 0.5 },
  burst: { label: "A burst" },
  prompt: { label: "Prompts" },
  output: { label: "Outputs" },
  seed: { label: "Seed", step: 1 },
  ttft_target_s: { label: "TTFT target", unit: "ms", exponent: 3, step: 50 },
  tpot_target_s: { label: "TPOT target", unit: "ms", exponent: 3, step: 5 },
  admission: { label: "Memory admission" },
  max_num_seqs: { label: "Sequence slots", unit: "requests", step: 1 },
  max_num_batched_tokens: { label: "Tokens a pass", unit: "tokens", step: 1 },
  max_prefill_tokens_per_step: { label: "Prefill a pass", unit: "tokens", step: 1 },
  block_size: { label: "KV block", unit: "tokens", step: 1 },
  kv_blocks: { label: "KV blocks", unit: "blocks", step: 1 },
  watermark_fraction: { label: "Watermark", unit: "%", exponent: 2, step: 1 },
};

export const PROCESS_NAMES: Record<Process, string> = {
  poisson: "at random (Poisson)",
  gamma: "in clumps (gamma)",
  constant: "evenly spaced",
  clients: "a closed loop of clients",
};

export const KIND_NAMES: Record<Kind, string> = {
  fixed: "all alike",
  uniform: "uniform",
  exponential: "exponential",
  lognormal: "log-normal",
};

/** What each number of a distribution is called, and in which unit. */
export const NUMBER_NAMES: Record<string, { label: string; unit?: string }> = {
  tokens: { label: "tokens", unit: "tokens" },
  low: { label: "shortest", unit: "tokens" },
  high: { label: "longest", unit: "tokens" },
  mean: { label: "mean", unit: "tokens" },
  sigma: { label: "sigma of the logarithm" },
};

export const ADMISSION_NAMES: Record<string, string> = {
  paged: "paged: as it grows",
  reserve: "reserve: all at once",
};

/** Help that the API's own description does not give in full. */
const HELP: Partial<Record<Field, string>> = {
  trace:
    "Your own requests: a CSV or JSON lines with arrivals and lengths, as Azure, Mooncake, BurstGPT or vLLM write them. It goes to the server on this machine and nowhere else.",
  trace_requests_per_s: "Requests of the file at random times of this rate, in place of its own. Empty keeps its own.",
  burstiness: "Shape of the gaps between arrivals: 1 is Poisson, less comes in clumps.",
  burst: "For a stretch of time the arrival rate is multiplied.",
  prompt: "How long prompts are: a distribution and its numbers.",
  output: "How many tokens requests generate: a distribution and its numbers.",
  seed: "Seed of all draws. A change of another setting leaves every draw as it was, so two runs differ by what you changed.",
  admission:
    "Reserve takes the blocks of prompt and output limit at once, and never preempts. Paged takes them as they are needed, and preempts the newest where they run out. Static always reserves.",
  max_num_seqs: "Requests that run at once, at most. Empty is no bound.",
  max_num_batched_tokens: "Tokens of one pass, at most. Empty is no bound.",
  max_prefill_tokens_per_step: "Tokens prefilled in one pass of the chunked policy, at most. Empty is no bound.",
  kv_blocks: "Blocks of the KV cache. Empty takes what weights, workspace and reserve leave of the memory.",
  watermark_fraction: "Share of the blocks that paged admission leaves free, so that running requests can grow.",
};

export function describe(field: Field): string {
  const text = HELP[field] ?? ruleOf(field).description.replace(/, (seconds|requests\/s)(?=;|$)/, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/([^.!?])$/, "$1.");
}

export function notANumber(field: Field): string {
  const { unit } = LABELS[field];
  return unit ? `Give a number, in ${unit}. The last valid value stays in use.` : "Give a number.";
}

export const NOT_LENGTHS = "These numbers make no distribution of lengths. The last valid ones stay in use.";
export const NOT_BURST = "A burst ends after it starts. The last valid one stays in use.";

/** "Cannot be used: Rate" */
export function unusable(problems: Partial<Record<Field, string>>): string {
  const names = (Object.keys(problems) as Field[]).map((field) => LABELS[field].label);
  return `Cannot be used: ${names.join(", ") || "these settings"}`;
}
