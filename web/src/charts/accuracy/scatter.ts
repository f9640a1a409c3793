import { scaleLog } from "d3-scale";
import type { Row } from "../../state/accuracy/rows.ts";
import type { Frame, Tick } from "../sweep.ts";

/** Within this ratio of what was measured a prediction is a dot, beyond it a cross. */
export const BAND = 1.25;

export interface Place {
  row: Row;
  x: number;
  y: number;
  /** Where its interval ends. */
  low: number | null;
  high: number | null;
  off: boolean;
}

export interface Scatter {
  places: Place[];
  ticks: { x: Tick[]; y: Tick[] };
  /** The line of equal values and the two of the band, as paths. */
  equal: string;
  band: string;
}

/** Whole decades around all values, or the halves of them where they are few. */
function domain(values: readonly number[]): [number, number] {
  if (!values.length) return [0.001, 1];
  const low = Math.log10(Math.min(...values)) - 0.03;
  const high = Math.log10(Math.max(...values)) + 0.03;
  return high - low > 1.5 ? [10 ** Math.floor(low), 10 ** Math.ceil(high)] : [10 ** low, 10 ** high];
}

/** Powers of ten, and with few of them 2 and 5 between. */
function ticks([low, high]: [number, number], at: (value: number) => number): Tick[] {
  const steps = high / low > 1000 ? [1] : [1, 2, 5];
  const found: Tick[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1)
    for (const step of steps) {
      const value = Number((step * 10 ** power).toPrecision(1));
      if (value >= low * 0.999 && value <= high * 1.001) found.push({ value, at: at(value) });
    }
  return found;
}

/** Measured to the right, predicted upwards, both by ratios and on the same scale. */
export function draw(rows: readonly Row[], frame: Frame): Scatter {
  const known = rows.filter((row) => row.predicted);
  const both = domain(known.flatMap((row) => [row.measured, row.predicted!]));
  const right = frame.width - frame.right;
  const floor = frame.height - frame.bottom;
  const x = scaleLog().domain(both).range([frame.left, right]);
  const y = scaleLog().domain(both).range([floor, frame.top]);
  const end = (value: number | null) => (value === null ? null : y(Math.min(both[1], Math.max(both[0], value))));
  const line = (ratio: number) => {
    const from = Math.max(both[0], both[0] / ratio);
    const to = Math.min(both[1], both[1] / ratio);
    return [
      [x(from), y(from * ratio)],
      [x(to), y(to * ratio)],
    ] as const;
  };
  const path = (points: readonly (readonly [number, number])[]) =>
    points.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  const corners = [[x(both[1]), y(both[1])] as const, [x(both[0]), y(both[0])] as const];
  const upper = line(BAND);
  const lower = line(1 / BAND);
  return {
    places: known.map((row) => {
      const ratio = row.predicted! / row.measured;
      const off = ratio > BAND || ratio < 1 / BAND;
      return { row, x: x(row.measured), y: y(row.predicted!), low: end(row.low), high: end(row.high), off };
    }),
    ticks: { x: ticks(both, x), y: ticks(both, y) },
    equal: path(line(1)),
    band: `${path([upper[0], upper[1], corners[0]!, lower[1], lower[0], corners[1]!])}Z`,
  };
}

/** The place nearest to a point of the chart, within reach. */
export function nearest(places: readonly Place[], x: number, y: number, reach = 24): number | null {
  let best: number | null = null;
  let distance = reach * reach;
  places.forEach((place, i) => {
    const away = (place.x - x) ** 2 + (place.y - y) ** 2;
    if (away < distance) [best, distance] = [i, away];
  });
  return best;
}
