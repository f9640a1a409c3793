import type { Shown } from "./format.ts";
import { byteRate, bytes, count, figures, flop, flopRate, seconds, share, shift, tokenRate, usd } from "./format.ts";

/** A value by the unit it came with: the units the page knows are written as people write them, others stand as given. */

const KNOWN: Record<string, (value: number) => Shown> = {
  s: seconds,
  B: bytes,
  "B/s": byteRate,
  FLOP: flop,
  "FLOP/s": flopRate,
  "tokens/s": tokenRate,
  fraction: share,
  USD: usd,
};

const DOLLARS = "USD ";
/** A whole number below this is a count, and is written in full. */
const COUNTED = 1e6;

export function quantity(value: number, unit: string): Shown {
  const known = KNOWN[unit];
  if (known) return known(value);
  if (unit.startsWith(DOLLARS)) return { number: usd(value).number, unit: unit.slice(DOLLARS.length) };
  const whole = Number.isInteger(value) && Math.abs(value) < COUNTED;
  return { number: whole ? count(value) : figures(value), unit: numbered(value, unit) };
}

/** "1 request", for units that are words. */
function numbered(value: number, unit: string): string {
  return value === 1 && /^[a-z]+s$/i.test(unit) ? unit.slice(0, -1) : unit;
}

/** The value as it came, for hovering and copying. */
export function exactly(value: number, unit: string): string {
  return unit === "" || unit === "fraction" ? String(value) : `${value} ${unit}`;
}

/** How a control writes a value: a fraction in per cent, anything else as it is. */
export interface Writing {
  exponent: number;
  unit: string;
}

export function writing(unit: string): Writing {
  return unit === "fraction" ? { exponent: 2, unit: "%" } : { exponent: 0, unit };
}

export function written(value: number, unit: string): string {
  const { exponent, unit: shown } = writing(unit);
  const number = count(shift(value, exponent));
  return shown ? `${number}\u00a0${numbered(value, shown)}` : number;
}

/** One unit for all ticks of an axis, so that they read as one scale. */
export interface AxisUnit {
  exponent: number;
  unit: string;
}

const SMALL: readonly (readonly [prefix: string, exponent: number])[] = [
  ["", 0],
  ["m", -3],
  ["µ", -6],
  ["n", -9],
];
const LARGE: typeof SMALL = [
  ["E", 18],
  ["P", 15],
  ["T", 12],
  ["G", 9],
  ["M", 6],
  ["k", 3],
  ["", 0],
];

/** The unit in which the largest value of an axis is written. */
export function axisUnit(largest: number, unit: string): AxisUnit {
  if (unit === "fraction") return { exponent: -2, unit: "%" };
  const prefixes = unit === "s" ? SMALL : ["B", "B/s", "FLOP", "FLOP/s"].includes(unit) ? LARGE : null;
  if (!prefixes) return { exponent: 0, unit: unit === "tokens/s" ? "tok/s" : unit };
  const [prefix, exponent] = prefixes.find(([, power]) => largest >= 10 ** power) ?? prefixes.at(-1)!;
  return { exponent, unit: prefix + unit };
}

const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** The number of a tick; the axis says its unit. */
export function tickText(value: number, { exponent }: AxisUnit): string {
  const number = Number(shift(value, -exponent).toPrecision(6));
  return Math.abs(number) >= 10_000 ? COMPACT.format(number).replace("K", "k") : count(number);
}
