import type { Pairs } from "../extras.svelte.ts";
import { parse, spell } from "./lengths.ts";
import type { Lengths } from "./lengths.ts";
import type { Burst, Field, Settings } from "./settings.ts";
import { FIELDS, ruleOf, sameValue } from "./settings.ts";

/** How a setting of this page is named in a link: `traffic.requests_per_s=20`. */
export const PREFIX = "traffic.";

const NUMBER = /^\d*\.?\d+(e[-+]?\d+)?$/i;

/** "20:30:4": from, until, times. */
function spellBurst({ start_s, end_s, factor }: Burst): string {
  return [start_s, end_s, factor].join(":");
}

export function parseBurst(text: string): Burst | undefined {
  const parts = text.split(":");
  if (parts.length !== 3 || !parts.every((part) => NUMBER.test(part))) return undefined;
  const [start_s, end_s, factor] = parts.map(Number) as [number, number, number];
  return end_s > start_s && factor <= 1e6 ? { start_s, end_s, factor } : undefined;
}

function spellValue(field: Field, value: Settings[Field]): string {
  if (value !== null && field === "burst") return spellBurst(value as Burst);
  if (field === "prompt" || field === "output") return spell(value as Lengths);
  return String(value);
}

function parseNumber(field: Field, text: string): number | undefined {
  const rule = ruleOf(field);
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  const inside =
    value >= (rule.minimum ?? -Infinity) &&
    value <= (rule.maximum ?? Infinity) &&
    value > (rule.exclusiveMinimum ?? -Infinity);
  return inside && (rule.type !== "integer" || Number.isInteger(value)) ? value : undefined;
}

/** The value that a text stands for, or undefined where it stands for none. */
export function parseValue(field: Field, text: string): Settings[Field] | undefined {
  const rule = ruleOf(field);
  if (text === "null") return rule.nullable ? null : undefined;
  if (field === "burst") return parseBurst(text);
  if (field === "prompt" || field === "output") return parse(text);
  if (rule.type === "string") return rule.options?.includes(text) ? text : undefined;
  return parseNumber(field, text);
}

/** What differs from the defaults, as a link spells it. */
export function toPairs(settings: Settings, defaults: Settings): Record<string, string> {
  const changed = FIELDS.filter((field) => !sameValue(settings[field], defaults[field]));
  return Object.fromEntries(changed.map((field) => [PREFIX + field, spellValue(field, settings[field])]));
}

export interface Read {
  settings: Settings;
  /** `name=value` of everything that could not be used. */
  ignored: string[];
}

/** Reads a link's pairs; each is judged on its own, so one bad value spoils nothing. */
export function fromPairs(pairs: Pairs, defaults: Settings): Read {
  const settings = { ...defaults };
  const ignored: string[] = [];
  for (const [name, text] of Object.entries(pairs)) {
    const field = FIELDS.find((one) => PREFIX + one === name);
    const value = field && parseValue(field, text);
    if (field && value !== undefined) Object.assign(settings, { [field]: value });
    else ignored.push(`${name}=${text}`);
  }
  return { settings, ignored };
}
