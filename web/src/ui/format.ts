/** The only place where a base SI value becomes what people write. Three significant figures, thousands grouped. */

export interface Shown {
  number: string;
  unit: string;
}

const DIGITS = 3;

/** Made once: a format made anew for each number takes most of the time of writing it. */
const GROUPED = new Intl.NumberFormat("en-US");
const COUNTED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

/**
 * Moves the decimal point by whole places. On the decimal text, so that 0.3 ms is 0.0003 s exactly and not the
 * neighbouring double that a division would give.
 */
export function shift(value: number | string, places: number): number {
  const [mantissa = "", exponent = "0"] = String(value).toLowerCase().split("e");
  return Number(`${mantissa}e${Number(exponent) + places}`);
}

const RAISED: Record<string, string> = Object.fromEntries(
  [..."-0123456789"].map((c, i) => [c, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i]!]),
);

/** Three significant figures: 0.0124, 12.4, 5,460, 1.23 × 10¹². */
export function figures(value: number): string {
  const rounded = Number(value.toPrecision(DIGITS));
  const size = Math.abs(rounded);
  if (size === 0) return "0";
  if (size >= 1e9 || size < 1e-4) {
    const [mantissa, exponent] = rounded.toExponential(DIGITS - 1).split("e");
    const raised = [...String(Number(exponent))].map((digit) => RAISED[digit]).join("");
    return `${mantissa} × 10${raised}`;
  }
  return size >= 1000 ? GROUPED.format(rounded) : rounded.toPrecision(DIGITS);
}

/** A count in full, as 1,024 or 131,072. */
export function count(value: number): string {
  return value >= 1e15 ? figures(value) : COUNTED.format(value);
}

type Ladder = readonly (readonly [unit: string, exponent: number])[];

const LARGE = ["", "k", "M", "G", "T", "P", "E", "Z"];

function ladder(unit: string): Ladder {
  return LARGE.map((prefix, i) => [prefix + unit, 3 * i] as const);
}

/** The largest rung not above the value; rounding comes first, so that 999.9 MB is 1.00 GB. */
function climb(value: number, rungs: Ladder): Shown {
  const rounded = Number(value.toPrecision(DIGITS));
  const rung = rungs.findLast(([, exponent]) => Math.abs(rounded) >= 10 ** exponent) ?? rungs[0]!;
  return { number: figures(shift(rounded, -rung[1])), unit: rung[0] };
}

const SECONDS: Ladder = [
  ["ns", -9],
  ["µs", -6],
  ["ms", -3],
  ["s", 0],
];

export function seconds(value: number): Shown {
  if (value === 0) return { number: "0", unit: "s" };
  if (value >= 172_800) return { number: figures(value / 86_400), unit: "days" };
  if (value >= 7_200) return { number: figures(value / 3_600), unit: "h" };
  if (value >= 120) return { number: figures(value / 60), unit: "min" };
  return climb(value, SECONDS);
}

const BYTES = ladder("B");
const BYTE_RATE = ladder("B/s");
const FLOP = ladder("FLOP");
const FLOP_RATE = ladder("FLOP/s");

export const bytes = (value: number): Shown => climb(value, BYTES);
/** As inference engines log it, which mean powers of two by it. */
export const binary = (value: number): Shown => ({ number: (value / 2 ** 30).toFixed(2), unit: "GiB" });
export const byteRate = (value: number): Shown => climb(value, BYTE_RATE);
export const flop = (value: number): Shown => climb(value, FLOP);
export const flopRate = (value: number): Shown => climb(value, FLOP_RATE);
export const tokenRate = (value: number): Shown => ({ number: figures(value), unit: "tok/s" });
export const intensity = (value: number): Shown => ({ number: figures(value), unit: "FLOP/B" });
export const usd = (value: number): Shown => ({ number: `$${figures(value)}`, unit: "" });
/** A setting in per cent, as it was given: 50, not 50.0. */
export const percent = (fraction: number): Shown => ({
  number: String(Number(shift(fraction, 2).toPrecision(DIGITS))),
  unit: "%",
});

/** A part of a whole, at the same precision as the figure it belongs to. */
export const share = (fraction: number): Shown => ({ number: figures(100 * fraction), unit: "%" });

/** 8.03 billion, as parameters are spoken of. */
export function large(value: number): string {
  const words: Ladder = [
    ["", 0],
    ["thousand", 3],
    ["million", 6],
    ["billion", 9],
    ["trillion", 12],
  ];
  return text(climb(value, words));
}

/** As an axis has it: 10 ms for 10.0 ms. */
export function round({ number, unit }: Shown): string {
  return text({ number: number.includes(".") ? number.replace(/\.?0+$/, "") : number, unit });
}

export function text(shown: Shown): string {
  return shown.unit ? `${shown.number}\u00a0${shown.unit}` : shown.number;
}

/** "1 request", "16 requests". */
export function plural(n: number, noun: string): string {
  return `${count(n)}\u00a0${noun}${n === 1 ? "" : "s"}`;
}
