import type { Explanation } from "../api/types.ts";
import type { Config } from "../state/config.ts";
import type { Verdict } from "../state/score.ts";
import { figures, seconds, text, tokenRate, usd } from "../ui/format.ts";
import data from "./experiments.json";

export const DIRECTIONS = ["falls", "stays", "rises"] as const;
export type Direction = (typeof DIRECTIONS)[number];
export const SIZES = ["hardly", "little", "clearly", "twice", "more"] as const;
export type Size = (typeof SIZES)[number];

type FigureName = "ttft_s" | "tpot_s" | "output_tokens_per_s" | "cost_usd_per_million_output_tokens";

export interface Experiment {
  id: string;
  title: string;
  change: string;
  /** What differs from the working example before the change. */
  from: Partial<Config>;
  values: Partial<Config>;
  figure: FigureName;
  /** What the API answers; a test holds both against it. */
  direction: Direction;
  size: Size;
  lesson: string;
}

export const EXPERIMENTS = data as unknown as readonly Experiment[];

export interface Prediction {
  direction: Direction;
  size: Size;
}

/** Up to which factor a change is of a size; below the first it hardly is one. */
const LIMITS: readonly (readonly [Size, number])[] = [
  ["hardly", 1.05],
  ["little", 1.25],
  ["clearly", 1.75],
  ["twice", 2.5],
  ["more", Infinity],
];

export const SIZE_WORDS: Record<Size, string> = {
  hardly: "less than 5 %",
  little: "a little: up to 1.25 times",
  clearly: "clearly: 1.25 to 1.75 times",
  twice: "about twice: 1.75 to 2.5 times",
  more: "more: over 2.5 times",
};

export const DIRECTION_WORDS: Record<Direction, string> = {
  falls: "It falls",
  stays: "It hardly changes",
  rises: "It rises",
};

export const FIGURE_NAMES: Record<FigureName, string> = {
  ttft_s: "time to first token",
  tpot_s: "time per output token",
  output_tokens_per_s: "output throughput",
  cost_usd_per_million_output_tokens: "cost per million output tokens",
};

/** The direction and size of a change, from the ratio of after to before. */
export function classify(ratio: number): Prediction {
  const factor = Math.max(ratio, 1 / ratio);
  const size = LIMITS.find(([, limit]) => factor < limit)?.[0] ?? "more";
  if (size === "hardly") return { direction: "stays", size };
  return { direction: ratio < 1 ? "falls" : "rises", size };
}

export function judge(predicted: Prediction, ratio: number): Verdict {
  const truth = classify(ratio);
  if (predicted.direction !== truth.direction) return "wrong";
  return predicted.size === truth.size ? "right" : "way";
}

export const VERDICT_WORDS: Record<Verdict, string> = {
  right: "Right, in direction and size.",
  way: "The right direction, another size.",
  wrong: "It went another way.",
};

export function predictionWords({ direction, size }: Prediction): string {
  return direction === "stays" ? "It hardly changes" : `${DIRECTION_WORDS[direction]}, ${SIZE_WORDS[size]}`;
}

function shown(figure: FigureName, value: number): string {
  if (figure === "output_tokens_per_s") return text(tokenRate(value));
  return text(figure === "cost_usd_per_million_output_tokens" ? usd(value) : seconds(value));
}

export interface Result {
  ratio: number;
  words: string;
}

/** What the API says of the figure; null where one of the two sides has none. */
export function resultOf({ figure }: Pick<Experiment, "figure">, explanation: Explanation): Result | null {
  const found = explanation.figures.find((one) => one.figure === figure);
  if (!found || found.before === null || found.after === null || found.ratio === null) return null;
  const { direction } = classify(found.ratio);
  const factor = `${figures(Math.max(found.ratio, 1 / found.ratio))}\u00a0times`;
  const verb = { falls: `It falls ${factor}`, stays: "It hardly changes", rises: `It rises ${factor}` }[direction];
  return {
    ratio: found.ratio,
    words: `${verb}: from ${shown(figure, found.before)} to ${shown(figure, found.after)}.`,
  };
}

/** "3 right, 1 in the right direction, of 5 predictions" */
export function scoreWords(verdicts: readonly Verdict[]): string {
  if (!verdicts.length) return "No prediction yet.";
  const of = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length;
  const made = `${verdicts.length} prediction${verdicts.length === 1 ? "" : "s"}`;
  return `${of("right")} right, ${of("way")} right in direction only, of ${made}.`;
}
