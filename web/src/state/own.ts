/**
 * A model or an accelerator of one's own stands where a catalogue id would: its fields, as compact JSON text. So a
 * configuration stays one flat record of plain values, and holds everything it needs.
 */
export type Kind = "model" | "accelerator";

/** As many encoded characters of a link one such object may take; longer links get cut on their way. */
export const LINK_CHARACTERS = 2000;

/** Nothing the page keeps is longer; what the API says of a model is far from it. */
const MOST_CHARACTERS = 1_000_000;

const TAG = "own-";

export function isOwn(value: string): boolean {
  return value.startsWith("{");
}

function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null && !(Array.isArray(part) && !part.length));
  return Object.fromEntries(kept.map(([name, part]) => [name, said(part)]));
}

/** The fields as text; what says nothing (null, an empty list) is left out, as the API fills it in again. */
export function ownText(fields: object): string {
  return JSON.stringify(said(fields));
}

/** The fields in a piece of text, or null where they are none: no object, no name, or beyond all measure. */
export function ownFields(text: string): (Record<string, unknown> & { name: string }) | null {
  if (!isOwn(text) || text.length > MOST_CHARACTERS) return null;
  try {
    const fields = JSON.parse(text) as Record<string, unknown>;
    return typeof fields["name"] === "string" ? (fields as Record<string, unknown> & { name: string }) : null;
  } catch {
    return null;
  }
}

/** What a request holds: a catalogue id as it is, the fields of an object of one's own. */
export function asReference(value: string): unknown {
  return ownFields(value) ?? value;
}

/** A short name that belongs to this text and no other, as long as nobody forges one (FNV-1a). */
export function tagOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `${TAG}${hash.toString(16).padStart(8, "0")}`;
}

export function isTag(text: string): boolean {
  return /^own-[0-9a-f]{8}$/.test(text);
}

function encodedLength(text: string): number {
  return new URLSearchParams({ "": text }).toString().length - 1;
}

export function fitsLink(value: string): boolean {
  return !isOwn(value) || encodedLength(value) <= LINK_CHARACTERS;
}

/** What a link says of a value: the value itself, or its tag where it is too long. */
export function linked(value: string): string {
  return fitsLink(value) ? value : tagOf(value);
}

/** A handle for lists and element ids: the catalogue id, or the tag. */
export function handleOf(value: string): string {
  return isOwn(value) ? tagOf(value) : value;
}

/** How a value is spoken of. */
export function spoken(value: string): string {
  return ownFields(value)?.name ?? value;
}
