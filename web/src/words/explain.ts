import type { Estimate, Memory, Phase, Stage } from "../api/types.ts";
import type { Shown } from "../ui/format.ts";
import { byteRate, bytes, count, flopRate, intensity, percent, seconds, text, tokenRate, usd } from "../ui/format.ts";
import type { Explained, FigureId, PartId } from "./figures.ts";
import { exchangeTerms } from "./exchange.ts";
import { kvCache, reserve, weights, workspace } from "./memory.ts";
import { special } from "./kinds.ts";
import { steps } from "./phrases.ts";
import { absence, floors } from "./reasons.ts";
import type { Parts, Term } from "./terms.ts";
import { size } from "./terms.ts";

export interface Explanation {
  /** Names of formulas in formulas.tex, in the order in which they are read. */
  formulas: string[];
  terms: Term[];
  result: { name: string; shown: Shown; exact: string };
  floor: { name: string; shown: string } | null;
}

const time = (value: number) => text(seconds(value));

function stageTerm(name: string, stage: Stage, passes: number): Term {
  const how = `the longer of arithmetic ${time(stage.math_s / passes)} and memory traffic ${time(stage.data_s / passes)}`;
  return { name, how, value: time(stage.time_s / passes) };
}

/** The terms of a pass, or of the mean pass of many. */
function passTerms(phase: Phase, passes: number, estimate: Estimate): Term[] {
  const n = estimate.deployment.tensor_parallel;
  const exchange = n === 1 ? "one device: nothing to exchange" : `two all-reduces a layer among ${n} devices`;
  return [
    stageTerm("Linear layers", phase.linear, passes),
    stageTerm("Attention", phase.attention, passes),
    { name: "Communication", how: exchange, value: time(phase.communication_s / passes) },
    { name: "Overhead", how: overhead(estimate), value: time(phase.overhead_s / passes) },
  ];
}

const overhead = ({ calibration }: Estimate): string =>
  calibration ? "of a pass, its layers, sequences and prompts, as measured" : "fixed for every pass";

/**
 * The two effective rates, read back from the work and the time of a stage. A profile's F is what large passes reach;
 * small ones reach less of it.
 */
function rateTerms(phase: Phase, estimate: Estimate): Term[] {
  const { tensor_parallel: n, compute_utilization, bandwidth_utilization } = estimate.deployment;
  const { flop, bytes: moved, math_s, data_s } = phase.linear;
  if (estimate.calibration && estimate.knee_flop_per_byte !== null) {
    const rate = moved / n / data_s;
    const reached = `in a pass like this ${text(flopRate(flop / n / math_s))} of it`;
    return [
      {
        name: "F",
        how: `what large passes reach, as measured; ${reached}`,
        value: text(flopRate(rate * estimate.knee_flop_per_byte)),
      },
      { name: "B", how: "what reading weights reaches, as measured", value: text(byteRate(rate)) },
    ];
  }
  const of = (share: number) => `${text(percent(share))} of the datasheet rate, per device`;
  return [
    { name: "F", how: of(compute_utilization), value: text(flopRate(flop / n / math_s)) },
    { name: "B", how: of(bandwidth_utilization), value: text(byteRate(moved / n / data_s)) },
  ];
}

function ttft(estimate: Estimate, prefill: Phase): Parts {
  return {
    formulas: ["ttft", "pass", "stage", ...special(estimate).formulas],
    terms: [...passTerms(prefill, 1, estimate), ...special(estimate).terms, ...rateTerms(prefill, estimate)],
  };
}

function tpot(estimate: Estimate, decode: Phase): Parts {
  return {
    formulas: ["tpot", "pass", "stage", ...special(estimate).formulas],
    terms: [
      ...passTerms(decode, steps(estimate), estimate),
      ...special(estimate).terms,
      ...rateTerms(decode, estimate),
    ],
  };
}

function e2e(estimate: Estimate): Parts {
  const { ttft_s, tpot_s } = estimate;
  const decode = steps(estimate) * (tpot_s ?? 0);
  return {
    formulas: ["e2e"],
    terms: [
      { name: "TTFT", how: "the prefill and the first token", value: time(ttft_s ?? 0) },
      { name: "(o − 1) × TPOT", how: `${count(steps(estimate))} × ${time(tpot_s ?? 0)}`, value: time(decode) },
    ],
  };
}

function throughput(estimate: Estimate): Parts {
  const { batch, output_tokens } = estimate.workload;
  const { decode_tokens_per_s: decode, request_tokens_per_s: request, e2e_s } = estimate;
  const tokens = `${count(batch)} requests × ${count(output_tokens)} tokens`;
  const rates = [
    { name: "Decode rate", how: "all requests, without the prefill", value: decode },
    { name: "Rate of a request", how: "one request, without the prefill", value: request },
  ];
  return {
    formulas: ["throughput", "decodeRate", "requestRate"],
    terms: [
      { name: "b × o", how: tokens, value: `${count(batch * output_tokens)} tokens` },
      { name: "E2E", how: "prefill and decode", value: time(e2e_s ?? 0) },
      ...rates.flatMap(({ value, ...term }) => (value === null ? [] : [{ ...term, value: text(tokenRate(value)) }])),
    ],
  };
}

function cost(estimate: Estimate): Parts {
  const { tensor_parallel, accelerator } = estimate.deployment;
  return {
    formulas: ["cost"],
    terms: [
      { name: "N", how: "devices", value: count(tensor_parallel) },
      {
        name: "Price",
        how: `of one ${accelerator.name}, an hour`,
        value: text(usd(accelerator.price_usd_per_hour ?? 0)),
      },
      { name: "Throughput", how: "prefill included", value: text(tokenRate(estimate.output_tokens_per_s ?? 0)) },
    ],
  };
}

function figure(estimate: Estimate, id: FigureId): Explanation | null {
  const { prefill, decode } = estimate;
  if (absence(estimate) || !prefill || !decode) return null;
  const made = { ttft: () => ttft(estimate, prefill), tpot: () => tpot(estimate, decode), e2e, throughput, cost }[id](
    estimate,
  );
  const value = figureValue(estimate, id);
  if (value === null) return null;
  const { show, unit } = FIGURES[id];
  const floor = floors(estimate)[id];
  return {
    ...made,
    result: { name: "Together", shown: show(value), exact: `${value} ${unit}` },
    floor: floor === null ? null : { name: id === "throughput" ? "Ceiling" : "Floor", shown: text(show(floor)) },
  };
}

interface FigureKind {
  show: (value: number) => Shown;
  unit: string;
}

export const FIGURES: Record<FigureId, FigureKind> = {
  ttft: { show: seconds, unit: "s" },
  tpot: { show: seconds, unit: "s" },
  throughput: { show: tokenRate, unit: "tok/s" },
  e2e: { show: seconds, unit: "s" },
  cost: { show: usd, unit: "USD" },
};

export function figureValue(estimate: Estimate, id: FigureId): number | null {
  return {
    ttft: estimate.ttft_s,
    tpot: estimate.tpot_s,
    throughput: estimate.output_tokens_per_s,
    e2e: estimate.e2e_s,
    cost: estimate.cost_usd_per_million_output_tokens,
  }[id];
}

function part(memory: Memory, id: PartId, made: Parts): Explanation {
  const value = memory[`${id}_bytes`];
  const terms = made.terms.map((term) => ({ ...term, value: term.value || size(value) }));
  return { ...made, terms, result: { name: "Per device", shown: bytes(value), exact: `${value} B` }, floor: null };
}

function knee(estimate: Estimate): Explanation | null {
  const { prefill, knee_flop_per_byte: value } = estimate;
  if (!prefill || value === null) return null;
  return {
    formulas: ["knee"],
    terms: rateTerms(prefill, estimate),
    result: { name: "F / B", shown: intensity(value), exact: `${value} FLOP/B` },
    floor: null,
  };
}

function communication(estimate: Estimate): Explanation | null {
  const { prefill, decode, workload } = estimate;
  if (!prefill || !decode) return null;
  const { model, tensor_parallel: n } = estimate.deployment;
  const value = prefill.communication_s;
  return {
    formulas: ["communication"],
    terms: [
      { name: "2 L", how: "all-reduces in a pass", value: count(2 * model.layers) },
      { name: "N", how: "devices that exchange", value: count(n) },
      { name: "T", how: "tokens of the prefill", value: count(workload.batch * workload.prompt_tokens) },
      { name: "h", how: `hidden width of ${model.name}`, value: count(model.hidden_size ?? 0) },
      ...exchangeTerms(estimate),
      {
        name: "A step",
        how: `the same for ${count(workload.batch)} tokens`,
        value: time(steps(estimate) ? decode.communication_s / steps(estimate) : 0),
      },
    ],
    result: { name: "The prefill", shown: seconds(value), exact: `${value} s` },
    floor: null,
  };
}

/** How a number on the page comes about, with the current values; null where there is no number. */
export function explain(estimate: Estimate, id: Explained): Explanation | null {
  const { memory } = estimate;
  switch (id) {
    case "weights":
      return part(memory, id, weights(estimate));
    case "kv_cache":
      return part(memory, id, kvCache(estimate));
    case "workspace":
      return part(memory, id, workspace(estimate));
    case "reserve":
      return part(memory, id, reserve);
    case "knee":
      return knee(estimate);
    case "communication":
      return communication(estimate);
    default:
      return figure(estimate, id);
  }
}
