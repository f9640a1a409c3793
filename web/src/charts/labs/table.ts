import type { BarsData, Chart, ChartData, LinesData, PointsData, RequestsData } from "../../api/labs.ts";
import { count, text } from "../../ui/format.ts";
import { quantity } from "../../ui/show.ts";
import { flattened } from "./points.ts";

/** What a chart shows, in rows; each is written only when it is looked at. */
export interface Table {
  head: readonly string[];
  rows: number;
  row: (index: number) => readonly string[];
}

const cell = (value: number | null | undefined, unit: string) =>
  value === null || value === undefined ? "–" : text(quantity(value, unit));

function lines(chart: Chart, data: LinesData): Table {
  return {
    head: [chart.x.label, ...chart.series.map(({ label }) => label)],
    rows: data.x.length,
    row: (i) => [
      cell(data.x[i], chart.x.unit),
      ...chart.series.map(({ id }) => cell(data.series[id]?.[i], chart.y?.unit ?? "")),
    ],
  };
}

function requests(chart: Chart, data: RequestsData): Table {
  const labelled = Boolean(data.labels);
  const rejected = data.rejected.some(Boolean);
  return {
    head: [
      "request",
      ...(labelled ? ["what"] : []),
      "arrived",
      ...chart.series.map(({ label }) => label),
      ...(rejected ? ["served"] : []),
    ],
    rows: data.start.length,
    row: (i) => [
      count(i + 1),
      ...(labelled ? [data.labels?.[i] ?? ""] : []),
      cell(data.start[i], chart.x.unit),
      ...chart.series.map(({ id }) => cell(data.parts[id]?.[i], chart.x.unit)),
      ...(rejected ? [data.rejected[i] ? "rejected" : "yes"] : []),
    ],
  };
}

function bars(chart: Chart, data: BarsData): Table {
  return {
    head: [chart.x.label, ...chart.series.map(({ label }) => label)],
    rows: data.categories.length,
    row: (i) => [
      `${data.categories[i]}${i === data.current ? " (now)" : ""}`,
      ...chart.series.map(({ id }) => cell(data.series[id]?.[i], chart.y?.unit ?? "")),
    ],
  };
}

function points(chart: Chart, data: PointsData): Table {
  const all = flattened(chart, data);
  return {
    head: ["point", chart.x.label, chart.y?.label ?? ""],
    rows: all.length,
    row: (i) => {
      const { label, current, x, y } = all[i]!;
      return [`${label}${current ? " (now)" : ""}`, cell(x, chart.x.unit), cell(y, chart.y?.unit ?? "")];
    },
  };
}

export function tableOf(chart: Chart, data: ChartData): Table {
  if (chart.kind === "lines") return lines(chart, data as LinesData);
  if (chart.kind === "requests") return requests(chart, data as RequestsData);
  return chart.kind === "bars" ? bars(chart, data as BarsData) : points(chart, data as PointsData);
}
