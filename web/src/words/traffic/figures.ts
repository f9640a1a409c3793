import type { Summary } from "../../api/traffic.ts";
import type { Shown } from "../../ui/format.ts";
import { count, figures, seconds, share, tokenRate, usd } from "../../ui/format.ts";

/** A figure of a run: how it is called, written, and which way is better. */
export interface RunFigure {
  key: string;
  label: string;
  unit: "s" | "tok/s" | "requests/s" | "fraction" | "count" | "USD";
  better: "low" | "high" | null;
}

export const HEAD: readonly RunFigure[] = [
  { key: "ttft_p99_s", label: "p99 time to first token", unit: "s", better: "low" },
  { key: "itl_p99_s", label: "p99 gap between tokens", unit: "s", better: "low" },
  { key: "output_tokens_per_s", label: "Output throughput", unit: "tok/s", better: "high" },
];

export const ALL: readonly RunFigure[] = [
  { key: "slo_attainment", label: "Requests within both targets", unit: "fraction", better: "high" },
  { key: "goodput_requests_per_s", label: "Goodput", unit: "requests/s", better: "high" },
  { key: "ttft_mean_s", label: "TTFT, mean", unit: "s", better: "low" },
  { key: "ttft_p50_s", label: "TTFT, median", unit: "s", better: "low" },
  { key: "ttft_p99_s", label: "TTFT, p99", unit: "s", better: "low" },
  { key: "tpot_mean_s", label: "TPOT, mean", unit: "s", better: "low" },
  { key: "tpot_p50_s", label: "TPOT, median", unit: "s", better: "low" },
  { key: "tpot_p99_s", label: "TPOT, p99", unit: "s", better: "low" },
  { key: "itl_p50_s", label: "Gap between tokens, median", unit: "s", better: "low" },
  { key: "itl_p99_s", label: "Gap between tokens, p99", unit: "s", better: "low" },
  { key: "itl_max_s", label: "Gap between tokens, longest", unit: "s", better: "low" },
  { key: "e2e_p50_s", label: "End to end, median", unit: "s", better: "low" },
  { key: "e2e_p99_s", label: "End to end, p99", unit: "s", better: "low" },
  { key: "output_tokens_per_s", label: "Output throughput", unit: "tok/s", better: "high" },
  { key: "makespan_s", label: "First arrival to last token", unit: "s", better: "low" },
  { key: "busy_fraction", label: "Time in passes", unit: "fraction", better: null },
  { key: "batch_mean", label: "Running requests, mean", unit: "count", better: null },
  { key: "kv_occupancy_mean", label: "KV cache held, mean", unit: "fraction", better: null },
  { key: "kv_occupancy_peak", label: "KV cache held, peak", unit: "fraction", better: null },
  { key: "preemptions", label: "Preemptions", unit: "count", better: "low" },
  { key: "rejections", label: "Rejections", unit: "count", better: "low" },
  { key: "cost_usd_per_million_output_tokens", label: "Per million output tokens", unit: "USD", better: "low" },
];

export function shownFigure({ unit }: RunFigure, value: number): Shown {
  if (unit === "s") return seconds(value);
  if (unit === "tok/s") return tokenRate(value);
  if (unit === "fraction") return share(value);
  if (unit === "USD") return usd(value);
  if (unit === "requests/s") return { number: figures(value), unit };
  return { number: Number.isInteger(value) ? count(value) : figures(value), unit: "" };
}

/** The exact value, as hovering and copying give it. */
export function exactFigure({ unit }: RunFigure, value: number): string {
  return unit === "count" || unit === "fraction" ? String(value) : `${value} ${unit}`;
}

/** Which of the runs are best at a figure; none where all are alike or nothing is better. */
export function bestAt({ key, better }: RunFigure, summaries: readonly (Summary | null)[]): ReadonlySet<number> {
  const values = summaries.map((summary) => summary?.[key] ?? null);
  const known = values.filter((value): value is number => value !== null);
  if (!better || known.length < 2 || known.every((value) => value === known[0])) return new Set();
  const best = better === "low" ? Math.min(...known) : Math.max(...known);
  return new Set(values.flatMap((value, i) => (value === best ? [i] : [])));
}
