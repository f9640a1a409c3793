import type { Control, MissionAnswer, Lab, Mission, SettingValue, Settings, Want } from "../api/labs.ts";
import type { Assignment } from "../state/assignment.ts";
import { EVENTS_ID, SEED_ID } from "../state/assignment.ts";
import type { Placed } from "../state/missions.ts";
import { text } from "../ui/format.ts";
import { quantity, written } from "../ui/show.ts";
import { events, nameOf } from "./labs.ts";

/** All the page itself says about missions; what one of them is about comes with its lab. */

export const LOAD = "Load mission set-up";
export const LEAVE = "Leave the mission";
export const HANDOUT = "Printable hand-out";
export const TEACH = "Make a link for a class";
export const WHY = "Why it works";

/** "★★☆", which a screen reader hears in words instead. */
export function starSigns(earned: number, most: number): string {
  return "★".repeat(Math.min(earned, most)) + "☆".repeat(Math.max(0, most - earned));
}

export function starsWords(earned: number, most: number): string {
  return `${earned} of ${most} star${most === 1 ? "" : "s"}`;
}

/** "one, two and three" */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** What the score comes to, in a sentence that says what to do about it. */
export function scoreWords({ earned, stars }: MissionAnswer): string {
  const most = stars.length;
  if (earned === 0)
    return `No star now. The first one is the goal${stars.some(Boolean) ? "; the others count after it" : ""}.`;
  if (earned === most) return `${starsWords(earned, most)} now. Every star is earned.`;
  return `${starsWords(earned, most)} now. The goal is reached, and there is a better answer.`;
}

/** What holds of one star: whether it counts, in words beside its colour. */
export function starState({ earned, stars }: MissionAnswer, index: number): "holds" | "waits" | "misses" {
  if (index < earned) return "holds";
  return stars[index] ? "waits" : "misses";
}

export function stateWords(answer: MissionAnswer, index: number): string {
  const state = starState(answer, index);
  if (state === "waits") return `holds, but counts after star ${answer.earned + 1}`;
  return state === "holds" ? "earned" : "not yet";
}

/** How the learner's set-up stands to the mission's. */
export const LOADED = "The mission’s set-up is loaded, and it misses the goal.";

/** What is left to change, in the learner's words. */
export function freeWords(lab: Lab, kept: ReadonlySet<string>): string {
  const free = lab.controls.filter(({ id }) => !kept.has(id)).map(({ label }) => label);
  return free.length ? `You can change ${listed(free)}.` : "Nothing is left to change here.";
}

/** What a link hides, and that it stays; null where it hides nothing. */
export function hiddenWords(lab: Lab, { hidden, mission }: Assignment): string | null {
  if (!hidden.length) return null;
  const names = listed(hidden.map((id) => nameOf(lab, id)));
  const [verb, they] = hidden.length === 1 ? ["is", "it stays"] : ["are", "they stay"];
  const them = hidden.length === 1 ? "it" : "them";
  return `${names} ${verb} hidden by the link that led here and cannot be changed: ${they} as the ${mission ? "mission" : "lab"} has ${them}.`;
}

/** How a control writes one of its values. */
export function settingText(control: Control, value: SettingValue): string {
  if (control.kind === "choice")
    return control.choices.find((choice) => choice.value === value)?.label ?? String(value);
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "number" ? written(value, control.unit) : value;
}

export interface Line {
  id: string;
  label: string;
  value: string;
}

/** The mission's set-up, line by line: every control, what happens, and the seed. */
export function setupLines(lab: Lab, settings: Settings, on: readonly string[], seed: number): Line[] {
  const controls = lab.controls.map((control) => {
    const value = settings[control.id] ?? control.default;
    return { id: control.id, label: control.label, value: settingText(control, value) };
  });
  const happens = { id: EVENTS_ID, label: nameOf(lab, EVENTS_ID), value: events(lab, on) || "nothing" };
  const draws = { id: SEED_ID, label: nameOf(lab, SEED_ID), value: String(seed) };
  return [...controls, ...(lab.events.length ? [happens] : []), draws];
}

/** "KV heads 16, KV cache FP8" */
export function solutionWords(lab: Lab, solution: Settings): string {
  return lab.controls
    .flatMap((control) => {
      const value = solution[control.id];
      return value === undefined ? [] : [`${control.label} ${settingText(control, value)}`];
    })
    .join(", ");
}

/** A wish as a hand-out prints it: "p99 TTFT: at most 2.00 s". */
export function wantWords(lab: Lab, { tile, at_most, at_least }: Want): string {
  const known = lab.tiles.find(({ id }) => id === tile);
  const name = known?.short || (known?.title ?? tile);
  const shown = (value: number) => text(quantity(value, known?.unit ?? ""));
  if (at_most === 0) return `${name}: none`;
  const bounds = [
    at_most === null ? "" : `at most ${shown(at_most)}`,
    at_least === null ? "" : `at least ${shown(at_least)}`,
  ];
  return `${name}: ${listed(bounds.filter(Boolean))}`;
}

/** Figures that a mission is judged by, each once. */
export function judgedTiles(lab: Lab, mission: Mission): Lab["tiles"] {
  const ids = new Set(mission.wants.flat().map(({ tile }) => tile));
  return lab.tiles.filter(({ id }) => ids.has(id));
}

/** "2 missions, 3 of 6 stars" */
export function labStars(missions: number, earned: number, most: number): string {
  return `${missions} mission${missions === 1 ? "" : "s"}, ${starsWords(earned, most)}`;
}

/** The two kinds of experiments: what they rest on, and the minutes that one takes. */
export const EXPERIMENT_KINDS = {
  studio: { title: "One batch at a time", evidence: "Analytical model · not a benchmark", each: 2 },
  traffic: { title: "Under traffic", evidence: "Simulated scheduler · not a benchmark", each: 3 },
} as const;

export function lockedWords(waiting: readonly Placed[]): string {
  return `Opens with a star in ${listed(waiting.map(({ mission }) => mission.title))}`;
}

/** What the dock of a phone says while a mission is played. */
export function missionGlance({ earned, stars }: MissionAnswer): string {
  return `${starSigns(earned, stars.length)} ${starsWords(earned, stars.length)}`;
}

export const KEEPING = {
  about:
    "Stars are kept in this browser only. A file carries them to another browser or computer; bringing one in never takes a star away.",
  save: "Save as a file",
  bring: "Bring in a file",
  forget: "Forget all stars",
  forgotten: "All stars are forgotten.",
  back: "Bring them back",
} as const;

/** What became of a file of stars. */
export function broughtWords(missions: number, spoiled: number): string {
  const gained = missions
    ? `${missions} mission${missions === 1 ? " has" : "s have"} more stars now.`
    : "The file holds no star that was not here.";
  if (!spoiled) return gained;
  return `${gained} ${spoiled} of its entries could not be read and ${spoiled === 1 ? "was" : "were"} left out.`;
}

export const TEACHING = {
  about:
    "A link that opens a mission with the controls you choose out of sight, so that a class works on one question; and every mission as a sheet to print.",
  lead: "Whoever opens the link is in the mission at once, whatever it would wait for. What is hidden stays as the mission has it, and no button, chart or undo changes it.",
  nothing: "Nothing is hidden.",
  stuck: "Everything that could be changed is hidden; leave at least one control.",
  handout: "The hand-out to print",
} as const;

export const HANDOUT_WORDS = {
  kicker: "Mission",
  name: "Name",
  date: "Date",
  goal: "The goal",
  open: "Open it at",
  setup: "The set-up you begin with",
  stars: "What earns stars, each only with all before it",
  write: "Write down",
  guess: "Before you change anything: which setting do you expect to matter most, and why?",
  tried: "What I changed",
  asItIs: "nothing yet",
  attempt: "Attempt",
  earned: "Stars",
  why: "Why does your best answer work? What does it cost?",
} as const;
