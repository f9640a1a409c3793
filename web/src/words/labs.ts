import type {
  Band,
  BrokenLab,
  Comparison,
  Course,
  Lab,
  LabAnswer,
  LabPage,
  Step,
  Tile,
  TileChange,
} from "../api/labs.ts";
import { EVENTS_ID, SEED_ID } from "../state/assignment.ts";

/** All the page itself says about labs; everything about one lab comes with that lab. */

export const TRY_AGAIN = "Try again";
export const SEED_FIELD = "seed";
export const MOST_SEED = 2 ** 32 - 1;

/** The control that a refusal's dotted path is about. */
export function controlAt(path: string): string {
  return path.replace(/^settings\./, "");
}

export function unknown(id: string): string {
  const shown = id.length > 40 ? `${id.slice(0, 40)}…` : id;
  return `There is no lab called ${shown} here. These are the labs there are.`;
}

/** What a lab calls a setting, the events or the seed. */
export function nameOf(lab: Lab, id: string): string {
  if (id === EVENTS_ID) return "What happens meanwhile";
  return id === SEED_ID ? "Seed" : (lab.controls.find((control) => control.id === id)?.label ?? id);
}

/** Said where something would have changed what has to stay. */
export function keptWords(lab: Lab, ids: readonly string[]): string {
  const names = ids.map((id) => nameOf(lab, id)).join(", ");
  return `${ids.length === 1 ? "One setting has" : "Some settings have"} to stay here, and did: ${names}.`;
}

export function minutes(n: number): string {
  return `about ${n}\u00a0minute${n === 1 ? "" : "s"}`;
}

/** Sign and colour class of a change; the words come with the answer. */
export interface Sign {
  arrow: string;
  word: string;
  tone: "good" | "bad" | "plain";
}

const VERDICTS: Record<TileChange["verdict"], Omit<Sign, "arrow">> = {
  better: { word: "better", tone: "good" },
  worse: { word: "worse", tone: "bad" },
  same: { word: "", tone: "plain" },
  unknown: { word: "", tone: "plain" },
};

export function sign({ verdict, difference }: TileChange): Sign {
  const arrow = verdict === "same" ? "=" : difference === null ? "" : difference > 0 ? "▲" : "▼";
  return { arrow, ...VERDICTS[verdict] };
}

export function events(lab: Lab, on: readonly string[]): string {
  return lab.events
    .filter(({ id }) => on.includes(id))
    .map(({ title }) => title)
    .join(", ");
}

/** When an event happens: "40 to 60 s", or all the time. */
export function when({ start_s, end_s }: { start_s: number | null; end_s: number | null }): string {
  return start_s === null || end_s === null ? "the whole run" : `from ${start_s} to ${end_s}\u00a0s`;
}

export const BETTER = { lower: "Lower is better", higher: "Higher is better" } as const;

/** The pages of a lab by what they are for. */
export function pagesOf(lab: Lab, ...roles: readonly LabPage["role"][]): LabPage[] {
  return roles.flatMap((role) => lab.pages.filter((page) => page.role === role));
}

export function bandsText(bands: readonly Band[], x: number): string {
  const over = bands.filter(({ start, end }) => x >= start && x < end).map(({ label }) => label);
  return over.length ? `, during ${over.join(" and ")}` : "";
}

/** "Time to first token, median (TTFT p50)": as its tile has it, with the short name that texts use. */
export function tileName({ title, short }: Pick<Tile, "title" | "short">): string {
  return short && !title.toLowerCase().includes(short.toLowerCase()) ? `${title} (${short})` : title;
}

/** What a screen reader hears once the hand rests: the answer, and what the change did to the chief figures. */
export function announcement(lab: Lab, answer: LabAnswer): string {
  const { refusal, changes, headline } = answer;
  if (refusal) return `${refusal.title}. ${refusal.reason}`;
  if (!changes) return headline;
  const said = lab.tiles.flatMap(({ id, headline: chief, title }) => {
    const change = changes.tiles[id];
    const told = chief && change && (change.verdict === "better" || change.verdict === "worse");
    return told ? [`${title} ${change.words}, ${change.verdict}`] : [];
  });
  return `${changes.summary}. ${said.join("; ") || "No chief figure changed"}.`;
}

/** Why a better choice turned figures red, in the lab's own words; figures that share a reason stand together. */
export function whys(lab: Lab, { changes }: LabAnswer): { why: string; tiles: Tile[] }[] {
  const all = new Map<string, Tile[]>();
  for (const tile of lab.tiles) {
    const why = changes?.tiles[tile.id]?.why;
    if (why) all.set(why, [...(all.get(why) ?? []), tile]);
  }
  return [...all].map(([why, tiles]) => ({ why, tiles }));
}

/** How many figures went which way. */
export function tally(changes: Comparison): { better: number; worse: number } {
  const verdicts = Object.values(changes.tiles).map(({ verdict }) => verdict);
  const of = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length;
  return { better: of("better"), worse: of("worse") };
}

export function tallyWords(changes: Comparison): string {
  const { better, worse } = tally(changes);
  if (!better && !worse) return "No figure got better or worse.";
  return `${better} better, ${worse} worse.`;
}

/** What the dock of a phone says of the answer. */
export function glance(lab: Lab, answer: LabAnswer): string {
  return answer.refusal?.title ?? (answer.headline || lab.title);
}

export const CATALOGUE = {
  title: "Labs and missions",
  lead: "A lab is a small world with one lesson: move a control, and the same seeded world runs again. A mission gives you one that is broken, and stars for mending it.",
  paths: "Where to begin",
  met: "met in a mission",
  missions: "Missions",
  aboutMissions:
    "Each starts from a set-up that misses its goal. Reaching the goal earns the first star; an answer that costs less, or keeps more, earns the others. Each lab has its own chain: a star opens the next one in it.",
  labs: "Labs",
  aboutLabs: "To play in freely: what changed in the figures came from you, not from chance.",
  experiments: "Experiments",
  aboutExperiments: "One change, one figure: say first what will happen, then let the model answer.",
  stars: "Your stars",
  teachers: "For teachers",
  broken: "Installed, but not usable",
} as const;

/** What a prediction is, beside how many were made. */
export const PREDICTIONS = "said before the model answers";
export const FURTHER = "A mission without a star";

/** Which step of which path the way on leads to: "Step 3 of 14 for a student: an experiment, about 2 minutes". */
export function nextWords(
  path: Course,
  steps: number,
  at: number,
  step: Step & { title: string; opener: unknown },
): string {
  const where = `Step ${at + 1} of ${steps} ${path.title.charAt(0).toLowerCase()}${path.title.slice(1)}`;
  if (step.opener) return `${where} is “${step.title}”, which this opens`;
  const article = step.kind === "experiment" ? "an" : "a";
  return `${where}: ${article} ${step.kind}, ${minutes(step.minutes)}`;
}

export function brokenWords({ name, distribution, reason }: BrokenLab): string {
  return `${name} from ${distribution}: ${reason}`;
}

export const RESETS = "Reset this lab to its defaults";
export const BACK = "Back to the defaults";
export const UNUSABLE = "A setting cannot be used";
export const NOT_A_NUMBER = "Give a number.";
export const SEED_HELP = "The same seed draws the same world again. Another seed shows how much of a figure is chance.";

/** An address that a link may lead to; anything but the web is none. */
export function webAddress(url: string | null): string | null {
  return url && /^https?:\/\//.test(url) ? url : null;
}
