/**
 * Stars earned in missions, by "lab/mission". Every entry is judged on its own, so that one that was spoiled spoils
 * nothing; the better of two counts always.
 */
export type Stars = Readonly<Record<string, number>>;

export const MOST_STARS = 3;

/** Nobody has more missions; a file beyond it is none of ours. */
const MOST_ENTRIES = 2000;
const KEY = /^[a-z0-9]+(?:[-_][a-z0-9]+)*\/[a-z0-9]+(?:[-_][a-z0-9]+)*$/;
const MOST_KEY = 200;

function isStar(key: string, value: unknown): value is number {
  const counted = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_STARS;
  return counted && key.length <= MOST_KEY && KEY.test(key);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The entries that are stars, and how many are not. */
function judged(found: Record<string, unknown>): { stars: Stars; spoiled: number } {
  const entries = Object.entries(found);
  const good = entries.slice(0, MOST_ENTRIES).filter((entry): entry is [string, number] => isStar(...entry));
  return { stars: Object.fromEntries(good), spoiled: entries.length - good.length };
}

/** What a piece of storage holds; nothing where it is none of ours. */
export function readStars(text: string | null): Stars {
  try {
    const found: unknown = JSON.parse(text ?? "{}");
    return isRecord(found) ? judged(found).stars : {};
  } catch {
    return {};
  }
}

/** Of each mission the better of the two. */
export function best(one: Stars, other: Stars): Stars {
  const all = { ...one };
  for (const [key, stars] of Object.entries(other)) all[key] = Math.max(stars, all[key] ?? 0);
  return all;
}

export function sameStars(one: Stars, other: Stars): boolean {
  return Object.keys({ ...one, ...other }).every((key) => one[key] === other[key]);
}

/** How many missions one has more stars in than the other. */
export function gained(before: Stars, after: Stars): number {
  return Object.entries(after).filter(([key, stars]) => stars > (before[key] ?? 0)).length;
}

const KIND = "servelab stars";
const VERSION = 1;

/** The file that carries stars to another browser. */
export function writeBackup(stars: Stars): string {
  const sorted = Object.fromEntries(Object.entries(stars).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ kind: KIND, version: VERSION, stars: sorted }, null, 2)}\n`;
}

export interface Backup {
  stars: Stars;
  /** How many entries could not be read. */
  spoiled: number;
}

/** Reads such a file; where it is none, what is wrong with it in one sentence. */
export function readBackup(text: string): Backup | string {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return "This file is not JSON; choose one that “Save as a file” wrote.";
  }
  if (!isRecord(found) || found["kind"] !== KIND) {
    return "This file holds something else than stars; choose one that “Save as a file” wrote.";
  }
  if (found["version"] !== VERSION) {
    const version = JSON.stringify(found["version"] ?? null).slice(0, 40);
    return `This file is of version ${version}, and this page reads version ${VERSION}; save the stars again where they were earned.`;
  }
  if (!isRecord(found["stars"])) return "This file lists no stars; choose one that “Save as a file” wrote.";
  return judged(found["stars"]);
}
