/** The words of the page "Accuracy". */
import type { GroupScore, Headline } from "../api/accuracy.ts";
import type { Filter, Row } from "../state/accuracy/rows.ts";
import type { Shown } from "../ui/format.ts";
import { count, plural, seconds, text, tokenRate } from "../ui/format.ts";
import { ENGINE_NAMES } from "./engine.ts";

export const TITLE = "How far off are the figures?";

export const LEAD =
  "Open measurements of served models against what is predicted of them. Every model was left out of the fit when its own rows were predicted, so the errors are those to expect of a model that was never seen.";

export const HOW =
  "An error is the distance of the prediction from what was measured, as a share of what was measured; a row without a prediction counts as 100 %. A score is the median over groups of one source, one accelerator and one engine with five rows or more, of each the median.";

export const FILTER_LABELS: Record<Filter, string> = {
  source: "Source",
  engine: "Engine",
  accelerator: "Accelerator",
  phase: "Phase",
  regime: "Load",
};

export const FILTER_ALL: Record<Filter, string> = {
  source: "All sources",
  engine: "All engines",
  accelerator: "All accelerators",
  phase: "All phases",
  regime: "All loads",
};

const PHASES: Record<string, string> = { prefill: "Prefill", decode: "Decode", request: "Whole request" };

const REGIMES: Record<string, string> = {
  static_batch: "One batch",
  single_stream: "One request at a time",
  closed_loop: "So many at any time",
  open_loop: "At a rate",
  offline_max: "As many as fit",
};

const ENGINES: Record<string, string> = {
  ...ENGINE_NAMES,
  lmdeploy: "LMDeploy",
  fastertransformer: "FasterTransformer",
  "deepspeed-mii": "DeepSpeed-MII",
  "optimum-habana": "Optimum Habana",
  autoawq: "AutoAWQ",
  exllamav2: "ExLlamaV2",
};

const METRICS: Record<string, string> = {
  ttft_s: "Time to first token",
  tpot_s: "Time per output token",
  e2e_s: "End to end",
  output_tokens_per_s: "Output throughput",
  decode_tokens_per_s: "Decode throughput",
  prefill_tokens_per_s: "Prefill throughput",
};

export const metricName = (metric: string): string => METRICS[metric] ?? metric;

/** What a filter's value is called; ids that have no better name stand for themselves. */
export function valueName(of: Filter, value: string): string {
  const names: Partial<Record<Filter, Record<string, string>>> = { phase: PHASES, regime: REGIMES, engine: ENGINES };
  return names[of]?.[value] ?? value;
}

export const isRate = (metric: string): boolean => metric.endsWith("_per_s");

export function valueOf(metric: string, value: number): Shown {
  return isRate(metric) ? tokenRate(value) : seconds(value);
}

/** "6.4 %" of 0.0642; nothing known is a dash. */
export function share(value: number | null): string {
  return value === null ? "—" : `${(100 * value).toFixed(value < 0.9995 ? 1 : 0)}\u00a0%`;
}

/** How a prediction differs: "12 % too high", "2.3× too low". */
export function off({ measured, predicted }: Row): string {
  if (predicted === null) return "no prediction, counted as 100 % off";
  const ratio = predicted / measured;
  const way = ratio >= 1 ? "too high" : "too low";
  const times = Math.max(ratio, 1 / ratio);
  if (Math.abs(ratio - 1) < 0.0005) return "as measured";
  return times >= 2 ? `${times.toFixed(1)}× ${way}` : `${share(Math.abs(ratio - 1))} ${way}`;
}

/** What ran: the model and its weights, the hardware, the engine, the load, the lengths. */
export function ran(row: Row): string {
  const load =
    row.rate_per_s !== null
      ? `${row.rate_per_s} requests/s`
      : row.batch
        ? `${plural(row.batch, "request")} ${row.regime === "static_batch" ? "in a batch" : "at a time"}`
        : "one request at a time";
  const lengths = `${row.prompt_tokens ? count(row.prompt_tokens) : "?"} in, ${row.output_tokens ? count(row.output_tokens) : "?"} out`;
  return `${row.model} (${row.weights}) on ${row.tensor_parallel} × ${row.accelerator}, ${valueName("engine", row.engine)}, ${load}, ${lengths}`;
}

/** One row in a sentence, for the pointer and for screen readers. */
export function story(row: Row): string {
  const measured = text(valueOf(row.metric, row.measured));
  const predicted = row.predicted === null ? "" : `, predicted ${text(valueOf(row.metric, row.predicted))}`;
  const between =
    row.low === null || row.high === null
      ? ""
      : `; 80 % interval ${text(valueOf(row.metric, row.low))} to ${text(valueOf(row.metric, row.high))}`;
  return `${metricName(row.metric)} of ${ran(row)}: measured ${measured}${predicted}, ${off(row)}${between}. Source ${row.source}.`;
}

export function counts({ score }: Pick<Headline, "score">): string {
  return `${count(score.rows)} rows, ${plural(score.groups, "group")}, ${share(score.predicted / score.rows)} predicted`;
}

/** What the intervals of a kind are worth. */
export function interval({ score }: Pick<Headline, "score">): string | null {
  if (score.within_fraction === null || score.half_width_fraction === null) return null;
  return `${share(score.within_fraction)} inside the 80 % interval, ± ${share(score.half_width_fraction)} wide`;
}

export const groupName = ({ source, accelerator, engine }: GroupScore): string =>
  `${source}, ${accelerator}, ${valueName("engine", engine)}`;
