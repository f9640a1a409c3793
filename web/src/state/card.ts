import fields from "../api/fields.json";
import type { Accelerator, Problem } from "../api/types.ts";
import type { Unit } from "../ui/quantity.ts";
import { BANDWIDTH, MEMORY, PRICE, RATE, parseQuantity, writeQuantity } from "../ui/quantity.ts";
import { ownText } from "./own.ts";

/** The form of an accelerator: what stands in each of its fields, as typed. */
export type Card = Record<string, string>;

export interface Entry {
  /** The path of the field as the API names it. */
  path: string;
  unit: Unit | null;
  needed?: boolean;
}

export const FORMATS: readonly string[] = fields.deployment.compute.options;

const RATES = "flop_per_s.";

export const ENTRIES: readonly Entry[] = [
  { path: "name", unit: null, needed: true },
  { path: "memory_bytes", unit: MEMORY, needed: true },
  { path: "bandwidth_bytes_per_s", unit: BANDWIDTH, needed: true },
  ...FORMATS.map((format) => ({ path: `${RATES}${format}`, unit: RATE })),
  { path: "link_bytes_per_s", unit: BANDWIDTH },
  { path: "price_usd_per_hour", unit: PRICE },
  { path: "memory_reported_bytes", unit: MEMORY },
];

export function isRate(path: string): boolean {
  return path.startsWith(RATES);
}

/** A form filled with what is known of an accelerator. */
export function cardOf(accelerator: Partial<Accelerator> | undefined, name: string): Card {
  const known = { ...accelerator, name } as Record<string, unknown>;
  const rates = (accelerator?.flop_per_s ?? {}) as Record<string, number | undefined>;
  const shown = ({ path, unit }: Entry) => {
    const value = isRate(path) ? rates[path.slice(RATES.length)] : known[path];
    return unit ? writeQuantity(value as number | null | undefined, unit) : String(value ?? "");
  };
  return Object.fromEntries(ENTRIES.map((entry) => [entry.path, shown(entry)]));
}

/** What is wrong with a form before anyone is asked: paths of fields that are empty, or hold no quantity. */
export interface Faults {
  empty: string[];
  unread: string[];
}

/** The accelerator that a form describes, as the text of one's own, or what is wrong with it. */
export function readCard(card: Card): { text: string } | Faults {
  const faults: Faults = { empty: [], unread: [] };
  const record: Record<string, unknown> = {};
  const rates: Record<string, number> = {};
  for (const { path, unit, needed } of ENTRIES) {
    const typed = card[path] ?? "";
    const value = unit ? parseQuantity(typed, unit) : typed.trim() || null;
    if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) faults.unread.push(path);
    else if (value === null && needed) faults.empty.push(path);
    else if (value !== null && isRate(path)) rates[path.slice(RATES.length)] = Number(value);
    else if (value !== null) record[path] = value;
  }
  if (faults.empty.length || faults.unread.length) return faults;
  return { text: ownText({ ...record, flop_per_s: rates }) };
}

/** What the API says against each field of the form; what fits none is said under "". */
export function faultsOf(problems: readonly Problem[]): Record<string, string> {
  const prefix = "deployment.accelerator.";
  const named = problems.map(({ field, message }) => {
    const path = field.startsWith(prefix) ? field.slice(prefix.length) : "";
    return [ENTRIES.some((entry) => entry.path === path) ? path : "", message] as const;
  });
  return Object.fromEntries(named);
}
