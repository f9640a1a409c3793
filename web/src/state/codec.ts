import type { Page } from "../pages/pages.ts";
import { isPage, ownerOf } from "../pages/pages.ts";
import type { Config, Field, Value } from "./config.ts";
import { DEFAULTS, DEGREES, FIELDS, ruleOf } from "./config.ts";
import type { Pairs } from "./extras.svelte.ts";
import type { Kind } from "./own.ts";
import { isOwn, linked, ownFields, tagOf } from "./own.ts";

/** Every name a link may use, with what it stands for: a catalogue id, or the text of one's own object behind a tag. */
export interface Known {
  models: ReadonlyMap<string, string>;
  accelerators: ReadonlyMap<string, string>;
}

interface Named {
  id: string;
  aliases?: string[] | null;
  hugging_face?: string | null;
}

function namesOf(entries: readonly Named[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, aliases, hugging_face } of entries) {
    for (const name of [id, ...(aliases ?? []), ...(hugging_face ? [hugging_face] : [])]) names.set(name, id);
  }
  return names;
}

export function knownNames(
  catalogue: { models: readonly Named[]; accelerators: readonly Named[] },
  own: Readonly<Record<Kind, readonly string[]>> = { model: [], accelerator: [] },
): Known {
  const tagged = (texts: readonly string[]) => texts.map((text) => [tagOf(text), text] as const);
  return {
    models: new Map([...namesOf(catalogue.models), ...tagged(own.model)]),
    accelerators: new Map([...namesOf(catalogue.accelerators), ...tagged(own.accelerator)]),
  };
}

export interface Decoded {
  config: Config;
  page: Page;
  /** Settings of the pages' own, unjudged. */
  extras: Partial<Record<Page, Pairs>>;
  /** `name=value` of everything that could not be used. */
  ignored: string[];
}

const VERSION = "1";

/**
 * `v=1&…`: the version, then only what differs from the defaults, then what the page keeps of its own. An own object too
 * long for a link is a tag there.
 */
export function encode(config: Config, page: Page = "studio", own: Pairs = {}): string {
  const pairs = new URLSearchParams({ v: VERSION });
  if (page !== "studio") pairs.set("page", page);
  for (const field of FIELDS) {
    const value = config[field];
    if (value !== DEFAULTS[field]) pairs.set(field, typeof value === "string" ? linked(value) : String(value));
  }
  for (const [name, text] of Object.entries(own)) pairs.set(name, text);
  return pairs.toString();
}

/** True for text that speaks this language at all: another fragment, such as a skip link's, is none of ours. */
export function isLink(hash: string): boolean {
  return /^#?v=/.test(hash);
}

function parseNumber(field: Field, text: string): number | undefined {
  const rule = ruleOf(field);
  const value = /^\d*\.?\d+(e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  const inside =
    Number.isFinite(value) &&
    value >= (rule.minimum ?? -Infinity) &&
    value <= (rule.maximum ?? Infinity) &&
    value > (rule.exclusiveMinimum ?? -Infinity) &&
    value < (rule.exclusiveMaximum ?? Infinity);
  if (!inside || (rule.type === "integer" && !Number.isInteger(value))) return undefined;
  if (field === "tensor_parallel" && !DEGREES.includes(value)) return undefined;
  return value;
}

function parseName(field: Field, text: string, known: Known | null): string | undefined {
  const names = { model: known?.models, accelerator: known?.accelerators }[field as string];
  if (isOwn(text)) return names && ownFields(text) ? text : undefined;
  if (names) return names.get(text);
  if (field === "version") return /^[\w.+-]{1,40}$/.test(text) ? text : undefined;
  const options = ruleOf(field).options;
  return !options || options.includes(text) ? text : undefined;
}

/** The value that a piece of text stands for, or undefined where it stands for none. */
function parseValue(field: Field, text: string, known: Known | null): Value | undefined {
  const rule = ruleOf(field);
  if (text === "null") return rule.nullable ? null : undefined;
  if (rule.type === "boolean") return { true: true, false: false }[text];
  if (rule.type === "string") return parseName(field, text, known);
  return parseNumber(field, text);
}

function isField(name: string): name is Field {
  return (FIELDS as readonly string[]).includes(name);
}

/** Reads a link; each field is judged on its own, so one bad value spoils nothing. */
export function decode(hash: string, known: Known | null): Decoded {
  const result: Decoded = { config: { ...DEFAULTS }, page: "studio", extras: {}, ignored: [] };
  const pairs = new URLSearchParams(hash.replace(/^#/, ""));
  const seen = new Set<string>();
  for (const [name, text] of pairs) {
    const repeated = seen.has(name);
    seen.add(name);
    if (name === "v" && text === VERSION && !repeated) continue;
    const value = isField(name) && !repeated ? parseValue(name, text, known) : undefined;
    const owner = repeated ? undefined : ownerOf(name);
    if (value !== undefined) Object.assign(result.config, { [name]: value });
    else if (name === "page" && !repeated && isPage(text)) result.page = text;
    else if (owner) result.extras[owner] = { ...result.extras[owner], [name]: text };
    else result.ignored.push(`${name}=${text}`);
  }
  return result;
}
