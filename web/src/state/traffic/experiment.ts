import { post } from "../../api/client.ts";
import type { Comparison, Summary, TrafficQuestion } from "../../api/traffic.ts";
import type { Change, TrafficExperiment } from "../../words/traffic/experiments.ts";
import { DEFAULTS as EXAMPLE } from "../config.ts";
import { studio } from "../studio.svelte.ts";
import { PRESETS, fromQuestion } from "./presets.ts";
import { toQuestion } from "./question.ts";
import type { Settings } from "./settings.ts";

export interface Side {
  settings: Settings;
  question: TrafficQuestion;
}

function merged(a: Change, b: Change): Change {
  return {
    traffic: { ...a.traffic, ...b.traffic },
    scheduler: { ...a.scheduler, ...b.scheduler },
    deployment: { ...a.deployment, ...b.deployment },
  };
}

/** One side of an experiment: the working example's hardware, one scheduler. */
function sideOf(preset: string, change: Change): Side {
  const base = PRESETS.find(({ id }) => id === preset)?.settings ?? PRESETS[0]!.settings;
  const settings = fromQuestion(change.traffic ?? {}, change.scheduler ?? {}, base);
  const deployment = { ...studio.question({ ...EXAMPLE }).deployment, ...change.deployment };
  const asked = toQuestion(settings, deployment, null);
  const policy = change.scheduler?.["policy"] ?? "chunked";
  return { settings, question: { ...asked, schedulers: asked.schedulers.filter((one) => one["policy"] === policy) } };
}

export function sidesOf({ preset, from, values }: TrafficExperiment): { before: Side; after: Side } {
  return { before: sideOf(preset, from), after: sideOf(preset, merged(from, values)) };
}

/** The summary of each side; null where there is none. Nothing is remembered: each run asks again. */
export async function runBoth({ before, after }: { before: Side; after: Side }): Promise<(Summary | null)[]> {
  const { signal } = new AbortController();
  const ask = async ({ question }: Side): Promise<Summary | null> => {
    const body = JSON.stringify({ ...question, bins: 1, rows: 1 });
    const outcome = await post<Comparison>("/api/compare", body, signal).catch(() => null);
    return outcome?.kind === "answer" ? (outcome.answer.runs[0]?.summary ?? null) : null;
  };
  return [await ask(before), await ask(after)];
}
