import type { Estimate } from "../api/types.ts";
import type { Field } from "../state/config.ts";
import { count, plural, seconds, text, tokenRate } from "../ui/format.ts";
import { LABELS } from "./labels.ts";
import { over, hardware, weightsFormat } from "./phrases.ts";
import { absence } from "./reasons.ts";

/** "bf16 weights, bf16 KV cache, 1,024 tokens in, 256 out, batch 16" */
export function details(estimate: Estimate): string[] {
  const { kv_cache } = estimate.deployment;
  const { prompt_tokens, output_tokens, batch } = estimate.workload;
  return [
    `${weightsFormat(estimate)} weights`,
    `${kv_cache} KV cache`,
    `${plural(prompt_tokens, "token")} in`,
    `${count(output_tokens)} out`,
    `batch ${count(batch)}`,
  ];
}

export function configuration(estimate: Estimate): string {
  return `${estimate.deployment.model.name} · ${hardware(estimate)}`;
}

/** The answer in one line, for where there is no room for tiles. */
export function glance(estimate: Estimate): string {
  const { ttft_s, tpot_s } = estimate;
  const absent = absence(estimate);
  if (absent) return estimate.fits ? "No rate, no figure" : `Does not fit: ${over(estimate)} over`;
  const times = [
    ttft_s !== null && `TTFT ${text(seconds(ttft_s))}`,
    tpot_s !== null && `TPOT ${text(seconds(tpot_s))}`,
  ];
  return times.filter(Boolean).join(" · ");
}

/** "Cannot be used: Batch" */
export function unusable(problems: Partial<Record<Field, string>>): string {
  const names = (Object.keys(problems) as Field[]).map((field) => LABELS[field].label);
  return `Cannot be used: ${names.join(", ") || "these settings"}`;
}

/** What a screen reader says once the answer has settled. */
export function announcement(estimate: Estimate): string {
  const absent = absence(estimate);
  if (absent) return absent;
  const rate = estimate.output_tokens_per_s;
  return `Fits. ${glance(estimate)}${rate === null ? "" : ` · ${text(tokenRate(rate))}`}.`;
}

export function title(estimate: Estimate | null): string {
  return estimate ? `${estimate.deployment.model.name} on ${hardware(estimate)} · servelab` : "servelab";
}
