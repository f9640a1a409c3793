import type { Bottleneck, Estimate, Phase } from "../api/types.ts";
import { bytes, count, flop, plural, seconds, text, tokenRate, usd } from "../ui/format.ts";
import type { FigureId } from "./figures.ts";
import { BOUND_BY, devices, steps } from "./phrases.ts";

/** Why there is no figure at all, in a few words; null when there is one. */
export function absence(estimate: Estimate): string | null {
  if (!estimate.fits) return "Does not fit in memory.";
  if (estimate.missing.length) return "A rate of the hardware is not known.";
  return null;
}

function across(estimate: Estimate): string {
  const n = estimate.deployment.tensor_parallel;
  return n === 1 ? "" : `, over ${devices(n)}`;
}

function prefillWork(estimate: Estimate, phase: Phase): Record<Bottleneck, string> {
  const { batch, prompt_tokens } = estimate.workload;
  const n = estimate.deployment.tensor_parallel;
  const prompts = `${plural(batch, "prompt")} of ${plural(prompt_tokens, "token")}`;
  return {
    compute: `${prompts} take ${text(flop(phase.flop))} of arithmetic${across(estimate)}.`,
    memory: `reading ${text(bytes(phase.bytes))} takes longer than the arithmetic of ${prompts}.`,
    communication: `${devices(n)} exchange activations for ${text(seconds(phase.communication_s))}.`,
    overhead: `the fixed cost of a pass outweighs ${prompts}.`,
  };
}

/** Of a mixture only the experts that are touched are read. */
function weightsRead(estimate: Estimate): string {
  const mixture = estimate.deployment.model.groups.some((group) => group.experts !== null);
  return mixture ? "weights its tokens touch" : "weights";
}

function cacheRead(estimate: Estimate): string {
  const { groups } = estimate.deployment.model;
  const states = groups.some((group) => group.attention === "state");
  const latents = groups.some((group) => group.attention === "latent");
  return `${latents ? "latent cache" : "KV cache"}${states ? " and fixed states" : ""}`;
}

function stepWork(estimate: Estimate, phase: Phase): Record<Bottleneck, string> {
  const n = steps(estimate);
  const each = (value: number) => value / n;
  return {
    compute: `each step takes ${text(flop(each(phase.flop)))} of arithmetic for ${plural(estimate.workload.batch, "token")}.`,
    memory:
      `each step moves ${text(bytes(each(phase.linear.bytes)))} for the ${weightsRead(estimate)} ` +
      `and ${text(bytes(each(phase.attention.bytes)))} for the ${cacheRead(estimate)}${across(estimate)}.`,
    communication:
      `each step spends ${text(seconds(each(phase.communication_s)))} ` +
      `exchanging activations among ${devices(estimate.deployment.tensor_parallel)}.`,
    overhead: "the fixed cost of a step outweighs its work.",
  };
}

function because(phase: Phase, work: Record<Bottleneck, string>): string {
  return phase.bottleneck ? `${BOUND_BY[phase.bottleneck]}: ${work[phase.bottleneck]}` : "";
}

const NO_STEP = "One output token comes from the prefill: there is no decode step.";

function perToken(estimate: Estimate, decode: Phase): string {
  return steps(estimate) === 0 ? NO_STEP : because(decode, stepWork(estimate, decode));
}

function cost(estimate: Estimate, rate: number): string {
  const { tensor_parallel, accelerator } = estimate.deployment;
  const price = accelerator.price_usd_per_hour;
  if (price === null) return `No hourly price is known for ${accelerator.name}.`;
  const times = tensor_parallel === 1 ? "" : `${tensor_parallel} × `;
  return `${times}${text(usd(price))} an hour, spread over ${text(tokenRate(rate))}.`;
}

/** The one sentence under a big number. */
export function reason(estimate: Estimate, id: FigureId): string {
  const absent = absence(estimate);
  const { prefill, decode, ttft_s, tpot_s, e2e_s, output_tokens_per_s } = estimate;
  if (absent) return absent;
  if (!prefill || !decode || ttft_s === null || e2e_s === null || output_tokens_per_s === null) return "";
  const { batch, output_tokens } = estimate.workload;
  switch (id) {
    case "ttft":
      return because(prefill, prefillWork(estimate, prefill));
    case "tpot":
      return perToken(estimate, decode);
    case "throughput":
      return `${plural(batch, "request")} × ${plural(output_tokens, "token")} in ${text(seconds(e2e_s))}, prefill included.`;
    case "e2e":
      return tpot_s === null
        ? NO_STEP
        : `${text(seconds(ttft_s))} to the first token, then ${count(steps(estimate))} × ${text(seconds(tpot_s))}.`;
    case "cost":
      return cost(estimate, output_tokens_per_s);
  }
}

/** What the datasheet allows at best: the same work with every byte and FLOP at its peak rate. */
export function floors(estimate: Estimate): Record<FigureId, number | null> {
  const { prefill, decode, workload, deployment } = estimate;
  if (!prefill || !decode) return { ttft: null, tpot: null, throughput: null, e2e: null, cost: null };
  const e2e = prefill.floor_s + decode.floor_s;
  const throughput = (workload.batch * workload.output_tokens) / e2e;
  const price = deployment.accelerator.price_usd_per_hour;
  return {
    ttft: prefill.floor_s,
    tpot: steps(estimate) === 0 ? null : decode.floor_s / steps(estimate),
    throughput,
    e2e,
    cost: price === null ? null : ((deployment.tensor_parallel * price) / 3600 / throughput) * 1e6,
  };
}

export function floorSentence(estimate: Estimate, id: FigureId): string | null {
  const floor = floors(estimate)[id];
  if (floor === null) return null;
  if (id === "throughput") return `Prefill included, cannot exceed ${text(tokenRate(floor))} on this hardware`;
  return `Cannot be below ${text(id === "cost" ? usd(floor) : seconds(floor))} on this hardware`;
}

const RATE = /^accelerator\.flop_per_s\.(\w+)$/;

/** The button beside these sentences; it opens the form of the accelerator. */
export const GIVE_MISSING = "Give what is missing";

/** What to give so that performance can be answered; one sentence each. */
export function missing(estimate: Estimate): string[] {
  const { name } = estimate.deployment.accelerator;
  return estimate.missing.map((path) => {
    const format = RATE.exec(path)?.[1];
    if (format)
      return `The ${format} compute rate of ${name} is not known. Give it from the datasheet, or choose a compute format whose rate is known.`;
    if (path.endsWith("link_bytes_per_s"))
      return `The rate of the link between ${name} devices is not known. Give a link rate.`;
    return `${path} is not known.`;
  });
}
