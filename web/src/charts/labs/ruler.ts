import { scaleLinear, scaleLog } from "d3-scale";
import type { Axis } from "../../api/labs.ts";
import type { AxisUnit } from "../../ui/show.ts";
import { axisUnit, tickText } from "../../ui/show.ts";

/** Where the values of an axis stand, and the ticks that say so. */
export interface Ruler {
  at: (value: number) => number;
  /** The value at a place. */
  value: (place: number) => number;
  ticks: readonly { at: number; text: string }[];
  /** What the axis is called, with the unit of its ticks. */
  title: string;
  low: number;
}

export type Extent = readonly [low: number, high: number];

/** The lowest and highest of what is known; nothing known is 0 to 1. */
export function extent(...lists: readonly (readonly (number | null)[])[]): Extent {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists) {
    for (const value of list) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

/** "time, s", but "tokens in the cache" as it is: the unit is said once. */
const titled = ({ label }: Axis, { unit }: AxisUnit) =>
  unit && !label.split(/[\s,]+/).includes(unit) ? `${label}, ${unit}` : label;

/** Ticks of a logarithmic axis: powers of ten where they are many, else 1, 2 and 5 of each. */
function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  const steps = high / low > 1e4 ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const step of steps) ticks.push(step * 10 ** power);
  }
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
}

/**
 * A linear axis starts at zero unless it says otherwise, a logarithmic one at the least value above zero. `tight` ends it
 * where the data ends, in place of the next round value.
 */
export function ruler(axis: Axis, data: Extent, range: readonly [number, number], count: number, tight = false): Ruler {
  const logarithmic = axis.scale === "log" && data[1] > 0;
  if (logarithmic) return logRuler(axis, data, range);
  const low = axis.low ?? Math.min(0, data[0]);
  const high = Math.max(axis.high ?? data[1], low + Number.EPSILON);
  const scale = scaleLinear()
    .domain([low, high > low ? high : low + 1])
    .range(range);
  if (axis.high === null && !tight) scale.nice(count);
  const unit = axisUnit(Math.max(Math.abs(low), Math.abs(scale.domain()[1]!)), axis.unit);
  const ticks = scale.ticks(count).map((value) => ({ at: scale(value), text: tickText(value, unit) }));
  return { at: scale, value: (place) => scale.invert(place), ticks, title: titled(axis, unit), low };
}

function logRuler(axis: Axis, data: Extent, range: readonly [number, number]): Ruler {
  const high = Math.max(axis.high ?? data[1], Number.MIN_VALUE);
  const low = Math.min(axis.low && axis.low > 0 ? axis.low : data[0] > 0 ? data[0] : high / 1000, high / 1.5);
  const scale = scaleLog().domain([low, high]).range(range);
  const unit = axisUnit(high, axis.unit);
  const ticks = logTicks(low, high).map((value) => ({ at: scale(value), text: tickText(value, unit) }));
  const at = (value: number) => scale(Math.max(value, low));
  return { at, value: (place) => scale.invert(place), ticks, title: titled(axis, unit), low };
}

/** Ticks whose labels keep clear of each other. */
export function spaced<T extends { at: number }>(ticks: readonly T[], apart: number): T[] {
  const kept: T[] = [];
  for (const tick of ticks) {
    const before = kept.at(-1);
    if (!before || Math.abs(tick.at - before.at) >= apart) kept.push(tick);
  }
  return kept;
}
