import type { Bottleneck, Estimate } from "../api/types.ts";
import { bytes, plural, text } from "../ui/format.ts";

/** Short pieces of language about an estimate that several sentences share. */

export function devices(n: number): string {
  return plural(n, "device");
}

export function checkpointFormat(estimate: Estimate): string {
  return estimate.deployment.model.checkpoint_format ?? "bf16";
}

export function weightsFormat(estimate: Estimate): string {
  return estimate.deployment.weights ?? checkpointFormat(estimate);
}

/** "one H100 SXM5 80GB", "4 × H100 SXM5 80GB". */
export function hardware(estimate: Estimate): string {
  const { tensor_parallel, accelerator } = estimate.deployment;
  return tensor_parallel === 1 ? `one ${accelerator.name}` : `${tensor_parallel} × ${accelerator.name}`;
}

export function over(estimate: Estimate): string {
  const { total_bytes, capacity_bytes } = estimate.memory;
  return text(bytes(Math.max(0, total_bytes - capacity_bytes)));
}

export function spare(estimate: Estimate): string {
  const { total_bytes, capacity_bytes } = estimate.memory;
  return text(bytes(Math.max(0, capacity_bytes - total_bytes)));
}

export const BOUND_BY: Record<Bottleneck, string> = {
  compute: "Compute-bound",
  memory: "Memory-bound",
  communication: "Communication-bound",
  overhead: "Overhead-bound",
};

export const LIMITS: Record<Bottleneck, string> = {
  compute: "arithmetic",
  memory: "memory traffic",
  communication: "communication",
  overhead: "fixed overhead",
};

/** Number of decode steps; the first token comes from the prefill. */
export function steps(estimate: Estimate): number {
  return estimate.workload.output_tokens - 1;
}
