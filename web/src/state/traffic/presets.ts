import data from "../../api/presets.json";
import { fromRequest } from "./lengths.ts";
import type { Burst, Field, Process, Settings } from "./settings.ts";
import { FIELDS, LIMITS, ruleOf, sameValue } from "./settings.ts";

/** A starting point as the API gives it: arrivals, and the limits and targets that go with them. */
interface Given {
  id: string;
  title: string;
  summary: string;
  traffic: Record<string, unknown>;
  scheduler: Record<string, unknown>;
  ttft_target_s: number;
  tpot_target_s: number;
}

export interface Preset {
  id: string;
  title: string;
  summary: string;
  settings: Settings;
}

/** What a control stands at before anybody chose: where the API has no default, something usual. */
const BASE: Settings = {
  trace: null,
  trace_requests_per_s: null,
  requests: 1_000,
  process: "poisson",
  requests_per_s: 10,
  burstiness: 0.25,
  clients: 32,
  think_s: 0,
  burst: null,
  prompt: { kind: "lognormal", numbers: [512, 0.8] },
  output: { kind: "exponential", numbers: [256] },
  seed: 0,
  ttft_target_s: null,
  tpot_target_s: null,
  ...(Object.fromEntries(LIMITS.map((field) => [field, ruleOf(field).default ?? null])) as Pick<
    Settings,
    (typeof LIMITS)[number]
  >),
};

/** The arrivals and limits of a question, as the controls hold them, over settings that it says nothing of. */
export function fromQuestion(
  traffic: Record<string, unknown>,
  scheduler: Record<string, unknown>,
  over: Settings,
): Settings {
  const isField = (name: string) => (FIELDS as readonly string[]).includes(name);
  const given = Object.entries(traffic).filter(([name, value]) => isField(name) && value !== null);
  // No bound is a limit too.
  const limits = Object.entries(scheduler).filter(([name]) => isField(name));
  const settings = { ...over, ...Object.fromEntries([...given, ...limits]) } as Settings;
  const loop = typeof traffic["clients"] === "number";
  const process = (loop ? "clients" : (traffic["process"] ?? over.process)) as Process;
  const [burst] = (traffic["bursts"] as Burst[] | undefined) ?? (over.burst ? [over.burst] : []);
  const prompt = fromRequest(traffic["prompt"]) ?? over.prompt;
  const output = fromRequest(traffic["output"]) ?? over.output;
  return { ...settings, process, burst: burst ?? null, prompt, output };
}

function presetOf({ id, title, summary, traffic, scheduler, ttft_target_s, tpot_target_s }: Given): Preset {
  const over = { ...BASE, ttft_target_s, tpot_target_s };
  return { id, title, summary, settings: fromQuestion(traffic, scheduler, over) };
}

export const PRESETS: readonly Preset[] = (data.presets as unknown as Given[]).map(presetOf);

/** The page opens on the first of them, never on an empty form. */
export const DEFAULTS: Readonly<Settings> = Object.freeze(PRESETS[0]!.settings);

/** Fields that say how requests come, which a file of one's own replaces. */
export const DRAWN: readonly Field[] = [
  "requests",
  "process",
  "requests_per_s",
  "burstiness",
  "clients",
  "think_s",
  "burst",
  "prompt",
  "output",
];

/** The starting point that settings stand at, whatever their seed; undefined where they stand at none. */
export function presetAt(settings: Settings): Preset | undefined {
  if (settings.trace !== null) return undefined;
  const of = FIELDS.filter((field) => field !== "seed");
  return PRESETS.find((preset) => of.every((field) => sameValue(preset.settings[field], settings[field])));
}
