/** Quantities as people write them: a number, and a unit where it is not the usual one. */
import { shift } from "./format.ts";

export interface Unit {
  /** The unit taken where none is written. */
  usual: string;
  /** Units, each as a power of ten of the base; binary ones as bytes. */
  tens: Readonly<Record<string, number>>;
  binary?: Readonly<Record<string, number>>;
}

const ladder = (base: string) => ({
  [base]: 0,
  [`k${base}`]: 3,
  [`M${base}`]: 6,
  [`G${base}`]: 9,
  [`T${base}`]: 12,
  [`P${base}`]: 15,
});

export const MEMORY: Unit = {
  usual: "GB",
  tens: ladder("B"),
  binary: { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 },
};
export const BANDWIDTH: Unit = { usual: "GB/s", tens: ladder("B/s") };
export const RATE: Unit = {
  usual: "TFLOP/s",
  tens: { ...ladder("FLOP/s"), ...ladder("FLOPS"), ...ladder("OP/s"), ...ladder("OPS") },
};
export const PRICE: Unit = { usual: "$/h", tens: { "$/h": 0, $: 0 } };

/** 80, 3.35 TB/s, 1,979 TFLOP/s: separators between thousands are read over, cases forgiven. */
const WRITTEN = /^\$?\s*(\d[\d,]*\.?\d*|\.\d+)(e[-+]?\d+)?\s*([a-z$/]*)$/i;

/** The base value of a text, null for an empty one, undefined where it is none. */
export function parseQuantity(text: string, unit: Unit): number | null | undefined {
  if (text.trim() === "") return null;
  const [whole, digits = "", power = "", word = ""] = WRITTEN.exec(text.trim()) ?? [];
  if (whole === undefined || /,(?!\d{3}(?!\d))/.test(digits)) return undefined;
  const number = `${digits.replaceAll(",", "")}${power}`;
  const wanted = (word || unit.usual).toLowerCase();
  const named = <T>(units: Readonly<Record<string, T>>) =>
    Object.entries(units).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const exponent = named(unit.tens);
  const factor = named(unit.binary ?? {});
  if (exponent !== undefined) return shift(number, exponent);
  return factor === undefined ? undefined : Number(number) * factor;
}

/** The text that reads back as exactly this value, in the usual unit. */
export function writeQuantity(value: number | null | undefined, unit: Unit): string {
  return value === null || value === undefined ? "" : String(shift(value, -(unit.tens[unit.usual] ?? 0)));
}
