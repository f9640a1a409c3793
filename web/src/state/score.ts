import { PREDICTIONS_KEY, forget, recall, remember } from "./storage.ts";

/** right: direction and size; way: the direction alone; wrong: not even that. */
export const VERDICTS = ["right", "way", "wrong"] as const;
export type Verdict = (typeof VERDICTS)[number];
export type Score = Readonly<Record<string, Verdict>>;

function isVerdict(value: unknown): value is Verdict {
  return (VERDICTS as readonly unknown[]).includes(value);
}

/** The verdicts of earlier visits, by experiment; whatever is not one is left out. */
export function recallScore(): Score {
  try {
    const stored: unknown = JSON.parse(recall(PREDICTIONS_KEY) ?? "{}");
    if (typeof stored !== "object" || stored === null || Array.isArray(stored)) return {};
    return Object.fromEntries(
      Object.entries(stored).filter((entry): entry is [string, Verdict] => isVerdict(entry[1])),
    );
  } catch {
    return {};
  }
}

/** The first prediction of an experiment counts: afterwards one knows. */
export function scored(score: Score, experiment: string, verdict: Verdict): Score {
  if (Object.hasOwn(score, experiment)) return score;
  const next = { ...score, [experiment]: verdict };
  remember(PREDICTIONS_KEY, JSON.stringify(next));
  return next;
}

export function resetScore(): Score {
  forget(PREDICTIONS_KEY);
  return {};
}
