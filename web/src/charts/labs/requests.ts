import type { Chart, RequestsData } from "../../api/labs.ts";

export interface Piece {
  id: string;
  label: string;
  colour: string;
  start: number;
  seconds: number;
}

/** The parts of one request, one after another; parts that take no time are left out. */
export function pieces(chart: Chart, data: RequestsData, row: number): Piece[] {
  let start = data.start[row] ?? 0;
  return chart.series.flatMap(({ id, label, colour }) => {
    const seconds = data.parts[id]?.[row] ?? 0;
    const piece = { id, label, colour, start, seconds };
    start += seconds;
    return seconds > 0 ? [piece] : [];
  });
}

/** When the last request ends. */
export function end(chart: Chart, data: RequestsData): number {
  return data.start.reduce((latest, start, row) => {
    const seconds = chart.series.reduce((sum, { id }) => sum + (data.parts[id]?.[row] ?? 0), 0);
    return Math.max(latest, start + seconds);
  }, 0);
}
