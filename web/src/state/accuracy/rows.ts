import type { Points } from "../../api/accuracy.ts";

/** One measured row beside what was predicted of it; values in base SI of its metric. */
export interface Row {
  id: string;
  source: string;
  engine: string;
  accelerator: string;
  model: string;
  phase: string;
  metric: string;
  regime: string;
  weights: string;
  tensor_parallel: number;
  batch: number | null;
  rate_per_s: number | null;
  prompt_tokens: number | null;
  output_tokens: number | null;
  measured: number;
  predicted: number | null;
  low: number | null;
  high: number | null;
  textbook: number | null;
}

export function rowsOf(points: Points): Row[] {
  const names = Object.keys(points) as (keyof Points)[];
  return points.id.map((_, i) => Object.fromEntries(names.map((name) => [name, points[name][i]])) as unknown as Row);
}

/** By what rows are chosen; "" is all of them. */
export const FILTERS = ["source", "engine", "accelerator", "phase", "regime"] as const;

export type Filter = (typeof FILTERS)[number];
export type Filters = Readonly<Record<Filter, string>>;

export const ALL: Filters = { source: "", engine: "", accelerator: "", phase: "", regime: "" };

function passes(row: Row, filters: Filters, but?: Filter): boolean {
  return FILTERS.every((name) => name === but || !filters[name] || row[name] === filters[name]);
}

export function chosen(rows: readonly Row[], filters: Filters): Row[] {
  return rows.filter((row) => passes(row, filters));
}

export interface Choice {
  value: string;
  rows: number;
}

/** What one filter can be set to with the others as they are, the most rows first. */
export function choices(rows: readonly Row[], filters: Filters, of: Filter): Choice[] {
  return counted(
    rows.filter((row) => passes(row, filters, of)),
    of,
  );
}

export function counted(rows: readonly Row[], of: Filter | "metric"): Choice[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row[of], (counts.get(row[of]) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, rows: count })).sort((a, b) => b.rows - a.rows);
}

/** How far off a prediction is, as a share of what was measured; a row without one counts as 100 %. */
export function error({ measured, predicted }: Row): number {
  return predicted === null ? 1 : Math.abs(predicted / measured - 1);
}

/** How many times off, either way: what rows are ordered by. */
export function factor({ measured, predicted }: Row): number {
  return predicted ? Math.max(predicted / measured, measured / predicted) : Infinity;
}

export function worstFirst(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => factor(b) - factor(a) || (a.id < b.id ? -1 : 1));
}

export function quantile(ordered: readonly number[], at: number): number | null {
  if (!ordered.length) return null;
  const place = at * (ordered.length - 1);
  const below = Math.floor(place);
  const low = ordered[below]!;
  return low + (place - below) * ((ordered[below + 1] ?? low) - low);
}

const sorted = (values: number[]) => values.sort((a, b) => a - b);

export interface Summary {
  rows: number;
  predicted: number;
  /** Groups of a source, an accelerator and an engine with five rows or more. */
  groups: number;
  /** The median over those groups of their medians; null without one. */
  median: number | null;
  p90: number | null;
}

const LEAST_ROWS = 5;

/** The score of some rows, as the API takes it of all of a kind. */
export function summary(rows: readonly Row[]): Summary {
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.source, row.accelerator, row.engine]);
    groups.set(key, [...(groups.get(key) ?? []), error(row)]);
  }
  const medians = [...groups.values()]
    .filter((errors) => errors.length >= LEAST_ROWS)
    .map((errors) => quantile(sorted(errors), 0.5)!);
  return {
    rows: rows.length,
    predicted: rows.filter((row) => row.predicted !== null).length,
    groups: medians.length,
    median: quantile(sorted(medians), 0.5),
    p90: quantile(sorted(rows.map(error)), 0.9),
  };
}
