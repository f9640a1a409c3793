import type { Summary } from "../../api/traffic.ts";
import { figures, text } from "../../ui/format.ts";
import data from "../traffic-experiments.json";
import { classify } from "../experiments.ts";
import type { Direction, Result, Size } from "../experiments.ts";
import { ALL, shownFigure } from "./figures.ts";

/** What differs: fields of the arrivals, of the scheduler, of the deployment, as the API names them. */
export interface Change {
  traffic?: Record<string, unknown>;
  scheduler?: Record<string, unknown>;
  deployment?: Record<string, unknown>;
}

export interface TrafficExperiment {
  id: string;
  title: string;
  change: string;
  /** The starting point that both sides begin from. */
  preset: string;
  /** What differs from it before the change. */
  from: Change;
  values: Change;
  /** A figure of the run's summary. */
  figure: string;
  direction: Direction;
  size: Size;
  lesson: string;
}

export const TRAFFIC_EXPERIMENTS = data as unknown as readonly TrafficExperiment[];

const NAMES: Readonly<Record<string, string>> = {
  ttft_mean_s: "mean time to first token",
  ttft_p50_s: "median time to first token",
  ttft_p99_s: "p99 time to first token",
  itl_p99_s: "p99 gap between tokens",
  itl_max_s: "longest gap between tokens",
  tpot_mean_s: "mean time per output token",
  tpot_p50_s: "median time per output token",
  tpot_p99_s: "p99 time per output token",
  e2e_p99_s: "p99 end to end",
  output_tokens_per_s: "output throughput",
  makespan_s: "time until the last token",
};

/** The figure that is predicted, as it is spoken of. */
export function figureName(key: string): string {
  return NAMES[key] ?? ALL.find((figure) => figure.key === key)?.label ?? key;
}

/** What happened to the figure; null where one of the two sides has none. */
export function compared(key: string, before: Summary | null, after: Summary | null): Result | null {
  const [first, second] = [before?.[key] ?? null, after?.[key] ?? null];
  const figure = ALL.find((one) => one.key === key);
  if (!first || second === null || !figure) return null;
  const ratio = second / first;
  const { direction } = classify(ratio);
  const factor = `${figures(Math.max(ratio, 1 / ratio))}\u00a0times`;
  const verb = { falls: `It falls ${factor}`, stays: "It hardly changes", rises: `It rises ${factor}` }[direction];
  const written = (value: number) => text(shownFigure(figure, value));
  return { ratio, words: `${verb}: from ${written(first)} to ${written(second)}.` };
}

/** Whether a change can be taken over by the controls of this page. */
export function isTakeable({ from, values }: TrafficExperiment): boolean {
  return !from.deployment && !values.deployment;
}
