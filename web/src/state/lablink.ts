import type { Control, Lab, SettingValue, Settings, Setup } from "../api/labs.ts";

/**
 * A lab's set-up in the address: the lab, the settings that differ from its defaults, events and seed. Settings carry
 * the names of fields, which hold no hyphen, so that nothing else can be taken for one.
 */
export const PREFIX = "lab";
const SETTING = `${PREFIX}.`;
const EVENTS = `${PREFIX}-events`;
const SEED = `${PREFIX}-seed`;

export type Pairs = Readonly<Record<string, string>>;

export function sameSettings(a: Settings, b: Settings): boolean {
  return Object.keys({ ...a, ...b }).every((id) => a[id] === b[id]);
}

export function sameSetup(a: Setup, b: Setup): boolean {
  const events = a.events.length === b.events.length && a.events.every((event) => b.events.includes(event));
  return events && a.seed === b.seed && sameSettings(a.settings, b.settings);
}

/** The pairs of a link: only what differs from the defaults. */
export function setupPairs(lab: Lab, setup: Setup): Record<string, string> {
  const pairs: Record<string, string> = { [PREFIX]: lab.id };
  for (const { id } of lab.controls) {
    const value = setup.settings[id];
    if (value !== undefined && value !== lab.defaults.settings[id]) pairs[SETTING + id] = String(value);
  }
  const { events, seed } = lab.defaults;
  if (!sameSetup({ ...setup, events, seed: setup.seed }, setup)) pairs[EVENTS] = setup.events.join(",");
  if (setup.seed !== seed) pairs[SEED] = String(setup.seed);
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

export interface Read {
  setup: Setup;
  /** `name=value` of everything that could not be used. */
  ignored: string[];
}

/** Reads a link; each part is judged on its own, so one bad value spoils nothing. */
export function readSetup(lab: Lab, pairs: Pairs): Read {
  const settings: Record<string, SettingValue> = { ...lab.defaults.settings };
  let { events, seed } = lab.defaults;
  const ignored: string[] = [];
  for (const [name, text] of Object.entries(pairs)) {
    if (name === PREFIX) continue;
    const control = name.startsWith(SETTING) && lab.controls.find(({ id }) => SETTING + id === name);
    const value = control ? parseSetting(control, text) : undefined;
    const newSeed = name === SEED ? parseSeed(text) : undefined;
    if (control && value !== undefined) settings[control.id] = value;
    else if (newSeed !== undefined) seed = newSeed;
    else if (name === EVENTS) {
      const wanted = text.split(",").filter(Boolean);
      const known = (id: string) => lab.events.some((event) => event.id === id);
      events = [...new Set(wanted.filter(known))];
      ignored.push(...wanted.filter((id) => !known(id)).map((id) => `${EVENTS}=${id}`));
    } else ignored.push(`${name}=${text}`);
  }
  return { setup: { settings, events, seed }, ignored };
}
