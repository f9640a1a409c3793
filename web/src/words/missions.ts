import type { Control, MissionAnswer, Lab, Mission, SettingValue, Settings, Want } from "../api/labs.ts";
import type { Assignment } from "../state/assignment.ts";
import { EVENTS_ID, SEED_ID } from "../state/assignment.ts";
import type { Placed } from "../state/missions.ts";
import { text } from "../ui/format.ts";
import { quantity, written } from "../ui/show.ts";
import { SEED_HELP, events, nameOf } from "./labs.ts";

/** All the page itself says about missions; what one of them is about comes with its lab. */

export const LOAD = "Load mission set-up";
export const LEAVE = "Leave the mission";
export const HANDOUT = "Printable hand-out";
export const TEACH = "Make a link for a class";
export const TEACHERS = "For teachers";
export const WHY = "Why it works";
export const READ_WHY = "Read why it works";
export const PLAY = "How to play";

/** Asked once before the answer is read. */
export const GIVE_UP = {
  ask: "Give up",
  sure: "This reads the answer. Its stars can still be earned.",
  yes: "Read the answer",
  no: "Keep trying",
  tryIt: "Try this answer",
} as const;

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
    return `No star now. The first one is the goal${stars.some(Boolean) ? "; the others count only together with it" : ""}.`;
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
  if (state === "waits") return `holds now; counts once star ${answer.earned + 1} holds too`;
  return state === "holds" ? "earned" : "not yet";
}

/** Hints that helped to what is there already, folded away. */
export function usedHintsWords(hints: number): string {
  return hints === 1 ? "A hint for a star that is earned" : `${hints} hints for stars that are earned`;
}

/** Why no hint is offered: for whoever looks for one. */
export function noHintWords(mission: Mission, earned: number): string {
  if (earned === mission.stars.length) return "Every star is here; no hint is left to give.";
  const any = mission.hints.some(({ star }) => star === earned + 1);
  return any ? `No further hint for star ${earned + 1}.` : `There is no hint for star ${earned + 1}.`;
}

export function hintsWords(star: number, left: number): string {
  return `for star ${star}, ${left} left`;
}

/** How a mission is played, whatever it is about; nothing of its answer. */
export function playWords(lab: Lab, kept: ReadonlySet<string>): { term: string; words: string }[] {
  return [
    {
      term: "What you can change",
      words: `${freeWords(lab, kept)} After every change the same world runs again. What is listed under the lock is part of the question and stays.`,
    },
    {
      term: "Now and wanted",
      words:
        "Now is the figure of your set-up, wanted is what the star asks for. On the bar, the line in the middle is what is wanted, the hatched side is where it is kept, and the dot is where you are.",
    },
    {
      term: "Stars",
      words:
        "The first star is the goal. The others ask for an answer that costs less or keeps more, and count only with all before them. A star stays yours, whatever you try afterwards.",
    },
    {
      term: "Help",
      words:
        "A hint is for the first star that is missing. Whoever gives up reads an answer, and can still earn its stars.",
    },
    {
      term: "Starting again",
      words: `“${LOAD}” brings the broken set-up back. Undo and redo walk through what you tried.`,
    },
  ];
}

/** Where no other mission waits to be played. */
export function nothingNextWords(starred: boolean): string {
  return starred ? "There is a star in every mission that is open." : "A star here opens the next mission.";
}

/** What comes next in the lab and waits for a star here, for whoever has read the answer. */
export function nextWaitsWords(title: string): string {
  return `“${title}” comes next and opens with a star here; trying the answer above earns one.`;
}

/** The way on: to the next mission, or past one that is still closed to another that is open. */
export function wayOnWords({ lab, mission }: Placed, past: boolean): string {
  return past ? `Meanwhile, in “${lab.title}”: ${mission.title}` : `Next mission: ${mission.title}`;
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
  /** What it is, and what its value means. */
  help: string;
}

/** What a control is for, and what the option means that it stands on. */
function helpWords(control: Control, value: SettingValue): string {
  const option = control.choices.find((choice) => choice.value === value);
  return option?.words ? `${control.help} ${option.label}: ${option.words}.` : control.help;
}

/** The mission's set-up, line by line: every control, what happens, and the seed. */
export function setupLines(lab: Lab, settings: Settings, on: readonly string[], seed: number): Line[] {
  const controls = lab.controls.map((control) => {
    const value = settings[control.id] ?? control.default;
    const help = helpWords(control, value);
    return { id: control.id, label: control.label, value: settingText(control, value), help };
  });
  const told = lab.events.filter(({ id }) => on.includes(id)).map(({ words }) => words);
  const meanwhile = events(lab, on) || "nothing";
  const happens = { id: EVENTS_ID, label: nameOf(lab, EVENTS_ID), value: meanwhile, help: told.join(" ") };
  const draws = { id: SEED_ID, label: nameOf(lab, SEED_ID), value: String(seed), help: SEED_HELP };
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

/** A wish as a hand-out prints it: "Cost of a million output tokens: at most $0.98". */
function wantWords(lab: Lab, { tile, at_most, at_least }: Want): string {
  const known = lab.tiles.find(({ id }) => id === tile);
  const name = known?.title ?? tile;
  const shown = (value: number) => text(quantity(value, known?.unit ?? ""));
  if (at_most === 0) return `${name}: none`;
  const bounds = [
    at_most === null ? "" : `at most ${shown(at_most)}`,
    at_least === null ? "" : `at least ${shown(at_least)}`,
  ];
  return `${name}: ${listed(bounds.filter(Boolean))}`;
}

/** What a star asks for on paper, but for what is hardly ever in play. */
export function wantsWords(lab: Lab, wants: readonly Want[]): string {
  return wants
    .filter(({ quiet }) => !quiet)
    .map((want) => wantWords(lab, want))
    .join(" · ");
}

/** Figures that a mission is judged by, each once. */
export function judgedTiles(lab: Lab, mission: Mission): Lab["tiles"] {
  const told = mission.wants.flat().filter(({ quiet }) => !quiet);
  const ids = new Set(told.map(({ tile }) => tile));
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

/** What is wrong, for whoever has yet to play it; then what there was to learn, which would have told the answer. */
export function aboutWords({ symptom, teaches, goal }: Mission, earned: number): string {
  return (earned ? teaches : symptom) || goal;
}

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
