import type { Estimate } from "../api/types.ts";
import { bytes, count, plural, text } from "../ui/format.ts";
import type { PartId } from "./figures.ts";
import type { Try } from "./bottleneck.ts";
import { devices, over } from "./phrases.ts";

export const PART_NAMES: Record<PartId | "free", string> = {
  weights: "Weights",
  kv_cache: "KV cache",
  workspace: "Workspace",
  reserve: "Reserve",
  free: "Free",
};

/** "It fits: 21.8 of 80.0 GB", with what holds for each device of several. */
export function verdict(estimate: Estimate): string {
  const { total_bytes, capacity_bytes } = estimate.memory;
  const where = estimate.deployment.tensor_parallel === 1 ? "" : " on each device";
  return estimate.fits
    ? `Fits: ${text(bytes(total_bytes))} of ${text(bytes(capacity_bytes))} used${where}.`
    : `Does not fit: ${text(bytes(total_bytes))} needed${where}, ${text(bytes(capacity_bytes))} there.`;
}

export function headline(estimate: Estimate): string {
  const { total_bytes, capacity_bytes } = estimate.memory;
  const each = estimate.deployment.tensor_parallel === 1 ? "" : " on each device";
  return estimate.fits
    ? `Yes, with ${text(bytes(capacity_bytes - total_bytes))} to spare${each}`
    : `No, ${text(bytes(total_bytes - capacity_bytes))} too much${each}`;
}

const FORMAT_FIELDS = { weights: "Weights", kv_cache: "KV cache" } as const;

/** Single changes after which everything fits, or how far each could go when it does already. */
export function changes(estimate: Estimate): Try[] {
  const { batch, prompt_tokens, tensor_parallel, formats } = estimate.would_fit;
  const list: Try[] = [];
  if (batch !== null && batch !== estimate.workload.batch)
    list.push({ label: `Batch ${count(batch)}`, values: { batch } });
  if (prompt_tokens !== null && prompt_tokens !== estimate.workload.prompt_tokens)
    list.push({ label: `Prompt of ${plural(prompt_tokens, "token")}`, values: { prompt_tokens } });
  if (estimate.fits) return list;
  if (tensor_parallel !== null && tensor_parallel !== estimate.deployment.tensor_parallel)
    list.push({ label: devices(tensor_parallel), values: { tensor_parallel } });
  for (const { field, format } of formats)
    list.push({
      label: `${FORMAT_FIELDS[field as keyof typeof FORMAT_FIELDS]} ${format}`,
      values: { [field]: format },
    });
  return list;
}

export function changesTitle(estimate: Estimate): string {
  if (estimate.fits) return "The most that fits";
  return changes(estimate).length ? "Any one of these fits" : "No single change is enough";
}

export function changesNote(estimate: Estimate): string | null {
  const { prompt_tokens } = estimate.would_fit;
  const context = estimate.deployment.model.context_length;
  if (estimate.fits && prompt_tokens !== null && context && prompt_tokens > context)
    return `A prompt of that length is beyond the ${count(context)} tokens this model was made for.`;
  if (estimate.fits) return null;
  return changes(estimate).length
    ? "Each alone, all else equal."
    : `${over(estimate)} is more than a smaller batch, a shorter prompt, more devices or a narrower format saves alone. Change several, or choose a device with more memory.`;
}

/** Said where prompt and output together exceed what the model was made for. */
export function contextNotice(estimate: Estimate): string | null {
  const { name, context_length } = estimate.deployment.model;
  const tokens = estimate.workload.prompt_tokens + estimate.workload.output_tokens;
  if (!context_length || tokens <= context_length) return null;
  return `Prompt and output take ${count(tokens)} tokens; ${name} was made for ${count(context_length)}.`;
}
