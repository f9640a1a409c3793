import { scaleLog } from "d3-scale";
import type { Bound, Estimate, Phase, Stage } from "../api/types.ts";
import type { Frame, Tick } from "./sweep.ts";

export type MarkPhase = "prefill" | "decode";
export type MarkStage = "linear" | "attention";

/** A phase, or a stage of it, as a point: its work per byte, and the rate at which it is done on one device. */
export interface Mark {
  id: string;
  phase: MarkPhase;
  /** null for the phase as a whole, which pays communication and overhead too. */
  stage: MarkStage | null;
  intensity: number;
  flop_per_s: number;
  bound: Bound | null;
}

export interface Roofline {
  /** Effective rates of one device: what its two slopes of the roof are made of. */
  flop_per_s: number;
  bytes_per_s: number;
  knee: number;
  marks: Mark[];
}

function mark(phase: MarkPhase, stage: MarkStage | null, of: Phase | Stage, devices: number): Mark[] {
  if (!of.intensity_flop_per_byte || !of.time_s) return [];
  const bound = "bound" in of ? of.bound : null;
  const id = stage ? `${phase}-${stage}` : phase;
  return [
    { id, phase, stage, intensity: of.intensity_flop_per_byte, flop_per_s: of.flop / devices / of.time_s, bound },
  ];
}

/**
 * The roof of measured rates. Stages have rates of their own there; the highest of each kind is drawn, so that no point
 * stands above it.
 */
function measuredRoof({ prefill, decode, knee_flop_per_byte, deployment }: Estimate): Omit<Roofline, "marks"> {
  const n = deployment.tensor_parallel;
  const stages = [prefill, decode].flatMap((phase) => (phase ? [phase.linear, phase.attention] : []));
  const moving = stages.map(({ bytes, data_s }) => bytes / n / data_s).filter(Number.isFinite);
  const counting = stages.map(({ flop, math_s }) => flop / n / math_s).filter(Number.isFinite);
  const bytes_per_s = Math.max(...moving);
  const flop_per_s = Math.max((knee_flop_per_byte ?? 0) * (moving[0] ?? 0), ...counting);
  return { flop_per_s, bytes_per_s, knee: flop_per_s / bytes_per_s };
}

/** All points and the roof above them; null where there is no figure of performance. */
export function roofline(estimate: Estimate): Roofline | null {
  const { prefill, decode, knee_flop_per_byte: knee } = estimate;
  if (!prefill || !decode || knee === null) return null;
  const { tensor_parallel: n } = estimate.deployment;
  const { flop, math_s } = prefill.linear;
  const rate = flop / n / math_s;
  const marks = (["prefill", "decode"] as const).flatMap((id) => {
    const phase = estimate[id] ?? prefill;
    return [
      ...mark(id, null, phase, n),
      ...mark(id, "linear", phase.linear, n),
      ...mark(id, "attention", phase.attention, n),
    ];
  });
  if (estimate.calibration) return { ...measuredRoof(estimate), marks };
  return { flop_per_s: rate, bytes_per_s: rate / knee, knee, marks };
}

/** The highest rate at a given work per byte. */
export function roof(of: Roofline, intensity: number): number {
  return Math.min(of.flop_per_s, of.bytes_per_s * intensity);
}

export interface Placed extends Mark {
  x: number;
  y: number;
  /** Where its badge stands: stages above the roof, whole phases under it. */
  badgeX: number;
  badgeY: number;
}

export interface Drawing {
  roof: string;
  kneeX: number;
  kneeY: number;
  xTicks: Tick[];
  yTicks: Tick[];
  marks: Placed[];
}

const BADGE = 26;

/** Whole decades around what is to be seen. */
function decades(values: readonly number[]): [number, number] {
  const low = Math.floor(Math.log10(Math.min(...values)) - 0.05);
  const high = Math.ceil(Math.log10(Math.max(...values)) + 0.05);
  return [10 ** low, 10 ** high];
}

function powers([low, high]: [number, number], at: (value: number) => number): Tick[] {
  const count = Math.round(Math.log10(high / low));
  return Array.from({ length: count + 1 }, (_, i) => low * 10 ** i).map((value) => ({ value, at: at(value) }));
}

/** Badges of one side pushed apart along the axis, in the order of their points. */
function spread(marks: Placed[], frame: Frame): void {
  for (const side of [true, false]) {
    const row = marks.filter((one) => (one.stage === null) === side).sort((a, b) => a.x - b.x);
    row.forEach((one, i) => {
      const before = row[i - 1];
      one.badgeX = Math.max(one.x, before ? before.badgeX + BADGE : frame.left);
    });
    const over = (row.at(-1)?.badgeX ?? 0) - (frame.width - frame.right - BADGE / 2);
    if (over > 0) row.forEach((one) => (one.badgeX -= over));
  }
}

/** The picture: both axes by ratios, the roof as a path, a badge for each point. */
export function draw(of: Roofline, frame: Frame): Drawing {
  const xDomain = decades([of.knee, ...of.marks.map(({ intensity }) => intensity)]);
  const rates = of.marks.map(({ flop_per_s }) => flop_per_s);
  const yDomain = decades([of.flop_per_s * 2, ...rates]);
  const x = scaleLog()
    .domain(xDomain)
    .range([frame.left, frame.width - frame.right]);
  const y = scaleLog()
    .domain(yDomain)
    .range([frame.height - frame.bottom, frame.top])
    .clamp(true);
  const start = Math.max(xDomain[0], yDomain[0] / of.bytes_per_s);
  const corners = [start, of.knee, xDomain[1]].map((at) => [x(at), y(roof(of, at))] as const);
  const marks = of.marks.map((one) => {
    const [px, py] = [x(one.intensity), y(one.flop_per_s)];
    return { ...one, x: px, y: py, badgeX: px, badgeY: py + (one.stage === null ? 34 : -34) };
  });
  spread(marks, frame);
  return {
    roof: corners.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join(""),
    kneeX: x(of.knee),
    kneeY: y(of.flop_per_s),
    xTicks: powers(xDomain, x),
    yTicks: powers(yDomain, y),
    marks,
  };
}
