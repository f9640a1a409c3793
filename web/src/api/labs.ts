import type { Outcome } from "./client.ts";
import { getJson, outcomeOf, readProblems, send } from "./client.ts";
import type { components } from "./schema.d.ts";
import type { Answered } from "./types.ts";

/**
 * What the API says of labs. The page draws any of them from this alone, and knows none by name. Everything comes from
 * the API's own description, except for the words that a text may be and the settings, which are each lab's own.
 */
type Schemas = components["schemas"];
type Narrow<Name extends keyof Schemas, Known> = Omit<Answered<Schemas[Name]>, keyof Known> & Known;

export type SettingValue = number | string | boolean;
export type Settings = Readonly<Record<string, SettingValue>>;

/** A set-up: what a run is a function of. */
export interface Setup {
  settings: Settings;
  events: readonly string[];
  seed: number;
}

export type Choice = Answered<Schemas["ChoiceCard"]>;
export type Control = Narrow<
  "ControlCard",
  {
    kind: "slider" | "choice" | "switch";
    scale: "linear" | "log" | null;
    choices: readonly Choice[];
    /** No effect unless each of these settings has one of the values. */
    idle: { unless: Readonly<Record<string, readonly SettingValue[]>>; words: string } | null;
  }
>;
export type LabEvent = Answered<Schemas["Event"]>;
export type Tile = Narrow<"Tile", { better: "lower" | "higher" | null }>;
export type Axis = Narrow<"Axis", { scale: "linear" | "log" }>;
export type Series = Narrow<
  "Series",
  { style: "line" | "area" | "step" | "step-area" | "points" | "joined" | "" | null }
>;
export type Chart = Narrow<
  "Chart",
  { kind: "lines" | "requests" | "bars" | "points"; x: Axis; y: Axis | null; series: readonly Series[] }
>;
export type Mission = Narrow<"MissionCard", { settings: Settings }>;
/** How a run does in a mission; `solution` and `reveal` come when it is passed or they are asked for. */
export type MissionAnswer = Narrow<"MissionAnswer", { solution: Settings | null }>;
/** What a star asks of a figure: at most, or at least, so much. */
export type Want = Answered<Schemas["Want"]>;
/** A way through labs, experiments, missions and pages for one kind of reader. */
export type Step = Narrow<"CourseStep", { kind: "lab" | "experiment" | "mission" | "page" }>;
export type Course = Narrow<"Course", { steps: readonly Step[] }>;
export type Block = Narrow<
  "Block",
  {
    kind: "heading" | "paragraph" | "list" | "formula" | "figure" | "reference";
    settings: Settings | null;
  }
>;
export type LabPage = Narrow<
  "Page",
  {
    role: "how-to-play" | "assumes" | "cannot-tell" | "explanation" | "references";
    blocks: readonly Block[];
  }
>;
export type Lab = Narrow<
  "LabCard",
  {
    controls: readonly Control[];
    tiles: readonly Tile[];
    charts: readonly Chart[];
    missions: readonly Mission[];
    pages: readonly LabPage[];
    defaults: Setup;
  }
>;

/** An installed lab that cannot be used, and why. */
export type BrokenLab = Answered<Schemas["Broken"]>;
export type LabList = Narrow<"LabList", { labs: readonly Lab[]; paths: readonly Course[] }>;

export type Band = Answered<Schemas["Band"]>;
export type Level = Answered<Schemas["Level"]>;
/** Where anything is drawn is known, though heights may be missing. */
export type LinesData = Narrow<"Lines", { x: readonly number[] }>;
/** A row a request; its parts follow one another from its start. */
export type RequestsData = Narrow<"Requests", { start: readonly number[] }>;
/** With `changes`, a bar or a point is a set-up to try. */
export type BarsData = Narrow<"Bars", { changes: readonly Settings[] | null }>;
export type PointsOf = Narrow<"Cloud", { changes: readonly Settings[] | null }>;
export type PointsData = Narrow<
  "Points",
  { series: Readonly<Record<string, PointsOf>>; frontier: readonly (readonly [x: number, y: number])[] | null }
>;
export type ChartData = LinesData | RequestsData | BarsData | PointsData;

export type Remedy = Narrow<"servelab__labs__result__Remedy", { settings: Settings }>;
export type Refusal = Narrow<
  "servelab__labs__result__Refusal",
  { kind: "nothing-fits" | "all-rejected" | "no-traffic" | "other"; remedies: readonly Remedy[] }
>;
export type TileChange = Narrow<"TileChange", { verdict: "better" | "worse" | "same" | "unknown" }>;
export type Comparison = Narrow<"Changes", { tiles: Readonly<Record<string, TileChange>> }>;
export type LabAnswer = Narrow<
  "LabAnswer",
  {
    settings: Settings;
    charts: Readonly<Record<string, ChartData | null>>;
    refusal: Refusal | null;
    changes: Comparison | null;
    mission: MissionAnswer | null;
  }
>;

export interface LabQuestion extends Setup {
  lab: string;
  before?: Setup;
  charts?: readonly string[];
  mission?: string;
  /** Answer with what explains the mission, earned or not. */
  reveal?: boolean;
}

export async function fetchLabs(): Promise<LabList> {
  return (await getJson("/api/labs")) as LabList;
}

/** A lab of somebody else's may fail; the API then says which and how, and that is no silence of the server. */
export async function askRun({ lab, ...body }: LabQuestion, signal: AbortSignal): Promise<Outcome<LabAnswer>> {
  const response = await send(`/api/labs/${encodeURIComponent(lab)}/run`, JSON.stringify(body), signal);
  const problems = response.status === 500 ? await readProblems(response) : [];
  return problems.some(({ field }) => field === "lab") ? { kind: "refused", problems } : outcomeOf(response);
}
