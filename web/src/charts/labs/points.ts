import type { Chart, PointsData, Settings } from "../../api/labs.ts";

export interface Spot {
  series: string;
  /** The place of its series among all. */
  place: number;
  colour: string;
  label: string;
  x: number;
  y: number;
  changes: Settings | null;
  current: boolean;
}

/** All points that are known, series after series. */
export function flattened(chart: Chart, data: PointsData): Spot[] {
  return chart.series.flatMap(({ id, label, colour }, place) => {
    const of = data.series[id];
    return (of?.x ?? []).flatMap((x, i) => {
      const y = of?.y[i] ?? null;
      if (!of || x === null || y === null) return [];
      const named = of.labels[i] ?? label;
      const told = chart.series.length === 1 || named.includes(label);
      const spot = { series: id, place, colour, label: told ? named : `${named}, ${label}` };
      return [{ ...spot, x, y, changes: of.changes?.[i] ?? null, current: i === of.current }];
    });
  });
}
