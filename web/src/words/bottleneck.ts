import type { Bottleneck, Estimate, Phase } from "../api/types.ts";
import type { Cost } from "../charts/scales.ts";
import type { Config } from "../state/config.ts";
import { count, figures, intensity, plural, text } from "../ui/format.ts";
import { devices, steps, weightsFormat } from "./phrases.ts";

export const COSTS: Record<Cost, string> = {
  math: "Arithmetic",
  traffic: "Memory traffic",
  communication: "Communication",
  overhead: "Overhead",
};

export const STAGES: Record<"linear" | "attention", string> = {
  linear: "Linear layers",
  attention: "Attention",
};

export type PhaseId = "prefill" | "decode";

const HEADLINE: Record<Bottleneck, string> = {
  compute: "waits for arithmetic",
  memory: "waits for memory",
  communication: "waits for the link",
  overhead: "waits for overhead",
};

export function headline(id: PhaseId, phase: Phase): string {
  const name = id === "prefill" ? "Prefill" : "Decode";
  return phase.bottleneck ? `${name} ${HEADLINE[phase.bottleneck]}` : `${name}: nothing to do`;
}

/** What the phase does, and how its work per byte compares with what the device is balanced for. */
export function story(id: PhaseId, phase: Phase, estimate: Estimate): string {
  const { batch, prompt_tokens } = estimate.workload;
  const task =
    id === "prefill"
      ? `One pass reads ${plural(batch, "prompt")} of ${plural(prompt_tokens, "token")}.`
      : `Each of ${plural(steps(estimate), "step")} adds one token to ${plural(batch, "request")}.`;
  const work = phase.intensity_flop_per_byte;
  const knee = estimate.knee_flop_per_byte;
  if (work === null || knee === null) return task;
  const side = work >= knee ? "more than" : "less than";
  return `${task} It does ${text(intensity(work))} of work, ${side} the ${figures(knee)} at which this device is balanced.`;
}

export interface Try {
  label: string;
  values: Partial<Config>;
}

/** A next step worth trying against a bottleneck; only what the API says is possible. */
export function tries(bottleneck: Bottleneck | null, estimate: Estimate): Try[] {
  const { batch } = estimate.workload;
  const { tensor_parallel } = estimate.deployment;
  const largest = estimate.would_fit.batch ?? batch;
  const degrees = estimate.tensor_parallel_options.filter((option) => option.allowed).map((option) => option.degree);
  const doubled = batch * 2 <= largest ? [{ label: `Batch ${count(batch * 2)}`, values: { batch: batch * 2 } }] : [];
  const degree = degrees.find((allowed) => allowed > tensor_parallel);
  const split = degree ? [{ label: devices(degree), values: { tensor_parallel: degree } }] : [];
  const halved =
    batch > 1 ? [{ label: `Batch ${count(Math.floor(batch / 2))}`, values: { batch: Math.floor(batch / 2) } }] : [];
  const narrow = ["fp32", "bf16", "fp16"].includes(weightsFormat(estimate));
  switch (bottleneck) {
    case "memory":
      return [...doubled, ...(narrow ? [{ label: "Weights fp8", values: { weights: "fp8" } }] : []), ...split];
    case "compute":
      return [...split, ...halved];
    case "communication":
      return tensor_parallel > 1 ? [{ label: devices(1), values: { tensor_parallel: 1 } }] : [];
    case "overhead":
      return doubled;
    case null:
      return [];
  }
}
