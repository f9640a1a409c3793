import { scaleLinear, scaleLog } from "d3-scale";
import type { Sweep } from "../api/types.ts";

export interface Point {
  batch: number;
  fits: boolean;
  rate: number | null;
  tpot: number | null;
  ttft: number | null;
}

export function pointsOf(sweep: Sweep): Point[] {
  return sweep.values.map((batch, i) => ({
    batch,
    fits: sweep.fits[i] ?? false,
    rate: sweep.output_tokens_per_s[i] ?? null,
    tpot: sweep.tpot_s[i] ?? null,
    ttft: sweep.ttft_s[i] ?? null,
  }));
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Tick {
  at: number;
  value: number;
}

export interface Panel {
  path: string;
  ticks: Tick[];
  y: (value: number) => number;
}

/** Where a batch stands: by ratios, so that each doubling is a step of the same length. */
export function batchScale(points: readonly Point[], frame: Frame): (batch: number) => number {
  const batches = points.map(({ batch }) => batch);
  return scaleLog()
    .domain([Math.min(...batches), Math.max(...batches, 2)])
    .range([frame.left, frame.width - frame.right]);
}

/** Powers of two, thinned so that their labels keep clear of each other. */
export function batchTicks(points: readonly Point[], x: (batch: number) => number, apart: number): Tick[] {
  const last = points.at(-1)?.batch ?? 1;
  const ticks: Tick[] = [];
  for (let value = 1; value <= last; value *= 2) {
    const at = x(value);
    const before = ticks.at(-1);
    if (!before || at - before.at >= apart) ticks.push({ at, value });
  }
  return ticks;
}

/** One curve over the batches: from zero, with a few round ticks. */
export function curve(
  points: readonly Point[],
  valueOf: (point: Point) => number | null,
  x: (batch: number) => number,
  frame: Frame,
): Panel {
  const known = points.flatMap((point) => {
    const value = valueOf(point);
    return value === null ? [] : [{ batch: point.batch, value }];
  });
  const y = scaleLinear()
    .domain([0, Math.max(...known.map(({ value }) => value), 0) || 1])
    .nice(3)
    .range([frame.height - frame.bottom, frame.top]);
  const path = known.map(({ batch, value }, i) => `${i ? "L" : "M"}${x(batch).toFixed(1)} ${y(value).toFixed(1)}`);
  return { path: path.join(""), ticks: y.ticks(3).map((value) => ({ at: y(value), value })), y };
}

/** The first batch that brings nine tenths of the highest throughput: beyond it, users mostly wait longer. */
export function saturation(points: readonly Point[]): Point | null {
  const best = Math.max(...points.map(({ rate }) => rate ?? 0));
  return points.find(({ rate }) => rate !== null && rate >= 0.9 * best) ?? null;
}
