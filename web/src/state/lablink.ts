import type { Control, Lab, SettingValue, Settings, Setup } from "../api/labs.ts";
import type { Assignment } from "./assignment.ts";
import { EVENTS_ID, FREE, SEED_ID, hideable, keptIds, opening } from "./assignment.ts";

/**
 * A lab's set-up in the address: the lab, the mission and what a link hides, then the settings that differ from where
 * these begin, events and seed. Settings carry the names of fields, which hold no hyphen, so that nothing else can be
 * taken for one.
 */
export const PREFIX = "lab";
const SETTING = `${PREFIX}.`;
const EVENTS = `${PREFIX}-events`;
const SEED = `${PREFIX}-seed`;
const MISSION = `${PREFIX}-mission`;
const HIDE = `${PREFIX}-hide`;
const VIEW = `${PREFIX}-view`;
const HANDOUT = "handout";

export type Pairs = Readonly<Record<string, string>>;

export function sameSettings(a: Settings, b: Settings): boolean {
  return Object.keys({ ...a, ...b }).every((id) => a[id] === b[id]);
}

export function sameSetup(a: Setup, b: Setup): boolean {
  const events = a.events.length === b.events.length && a.events.every((event) => b.events.includes(event));
  return events && a.seed === b.seed && sameSettings(a.settings, b.settings);
}

/** What is the same for the same set-up of a lab, and for no other. */
export function setupKey(lab: string, { settings, events, seed }: Setup): string {
  return JSON.stringify([lab, settings, [...events].sort(), seed]);
}

/** Whatever is true of a link beyond the set-up. */
export interface Play {
  assignment: Assignment;
  /** The mission as a sheet to print, in place of the lab. */
  handout: boolean;
}

export const AT_PLAY: Play = { assignment: FREE, handout: false };

/** The pairs of a link: only what differs from where the lab, or its mission, begins. */
export function setupPairs(lab: Lab, setup: Setup, { assignment, handout }: Play = AT_PLAY): Record<string, string> {
  const begun = opening(lab, assignment);
  const pairs: Record<string, string> = { [PREFIX]: lab.id };
  if (assignment.mission) pairs[MISSION] = assignment.mission;
  if (assignment.hidden.length) pairs[HIDE] = assignment.hidden.join(",");
  if (handout) pairs[VIEW] = HANDOUT;
  for (const { id } of lab.controls) {
    const value = setup.settings[id];
    if (value !== undefined && value !== begun.settings[id]) pairs[SETTING + id] = String(value);
  }
  if (!sameSetup({ ...setup, events: begun.events }, setup)) pairs[EVENTS] = setup.events.join(",");
  if (setup.seed !== begun.seed) pairs[SEED] = String(setup.seed);
  return pairs;
}

const NUMBER = /^-?\d*\.?\d+(e[-+]?\d+)?$/i;
const MOST_SEED = Number.MAX_SAFE_INTEGER;

function inside(control: Control, value: number): boolean {
  const whole = !control.whole || Number.isInteger(value);
  return whole && value >= (control.low ?? -Infinity) && value <= (control.high ?? Infinity);
}

/** The value a control can take that a piece of text stands for, or undefined. */
export function parseSetting(control: Control, text: string): SettingValue | undefined {
  if (control.kind === "switch") return { true: true, false: false }[text];
  if (control.kind === "choice") return control.choices.find(({ value }) => String(value) === text)?.value;
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return inside(control, value) ? value : undefined;
}

function parseSeed(text: string): number | undefined {
  const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return seed <= MOST_SEED ? seed : undefined;
}

export interface Read extends Play {
  setup: Setup;
  /** `name=value` of everything that could not be used. */
  ignored: string[];
}

/** The ids of a list that are known, each once, and the others as pairs that cannot be used. */
function listed(name: string, text: string, known: readonly string[]): { good: string[]; bad: string[] } {
  const all = [...new Set(text.split(",").filter(Boolean))];
  const bad = all.filter((id) => !known.includes(id)).map((id) => `${name}=${id}`);
  return { good: all.filter((id) => known.includes(id)), bad };
}

/** What a link asks for beyond the set-up; it says where the set-up begins. */
function readPlay(lab: Lab, pairs: Pairs, ignored: string[]): Play {
  const known = lab.missions.some(({ id }) => id === pairs[MISSION]);
  const { good, bad } = listed(HIDE, pairs[HIDE] ?? "", hideable(lab));
  ignored.push(...bad);
  if (pairs[MISSION] !== undefined && !known) ignored.push(`${MISSION}=${pairs[MISSION]}`);
  const handout = pairs[VIEW] === HANDOUT && known;
  if (pairs[VIEW] !== undefined && !handout) ignored.push(`${VIEW}=${pairs[VIEW]}`);
  return { assignment: { mission: known ? (pairs[MISSION] ?? null) : null, hidden: good }, handout };
}

/** Reads a link; each part is judged on its own, so one bad value spoils nothing. What is kept cannot be set. */
export function readSetup(lab: Lab, pairs: Pairs): Read {
  const ignored: string[] = [];
  const play = readPlay(lab, pairs, ignored);
  const begun = opening(lab, play.assignment);
  const kept = keptIds(lab, play.assignment);
  const settings: Record<string, SettingValue> = { ...begun.settings };
  let { events, seed } = begun;
  for (const [name, text] of Object.entries(pairs)) {
    if ([PREFIX, MISSION, HIDE, VIEW].includes(name)) continue;
    const control = name.startsWith(SETTING) && lab.controls.find(({ id }) => SETTING + id === name);
    const value = control ? parseSetting(control, text) : undefined;
    const newSeed = name === SEED ? parseSeed(text) : undefined;
    if (control && value !== undefined && !(kept.has(control.id) && value !== begun.settings[control.id]))
      settings[control.id] = value;
    else if (newSeed !== undefined && !(kept.has(SEED_ID) && newSeed !== begun.seed)) seed = newSeed;
    else if (name === EVENTS && !kept.has(EVENTS_ID)) {
      const { good, bad } = listed(
        EVENTS,
        text,
        lab.events.map(({ id }) => id),
      );
      events = good;
      ignored.push(...bad);
    } else ignored.push(`${name}=${text}`);
  }
  return { setup: { settings, events, seed }, ...play, ignored };
}
