import type { Series } from "../../api/labs.ts";
import type { Ruler } from "./ruler.ts";

type Values = readonly (number | null)[];

/** The index whose value holds at `x`: the last that is not beyond it; the nearest where values lie between points. */
export function indexAt(xs: readonly number[], x: number, step: boolean): number {
  let low = 0;
  let high = xs.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (xs[middle]! <= x) low = middle;
    else high = middle - 1;
  }
  const after = xs[low + 1];
  const nearer = !step && after !== undefined && after - x < x - xs[low]!;
  return nearer ? low + 1 : Math.max(0, low);
}

/** Stretches without a gap, as points on the drawing. */
function stretches(xs: readonly number[], ys: Values, x: Ruler, y: Ruler): [number, number][][] {
  const all: [number, number][][] = [];
  let current: [number, number][] = [];
  xs.forEach((value, i) => {
    const height = ys[i] ?? null;
    if (height !== null) current.push([x.at(value), y.at(height)]);
    if ((height === null || i === xs.length - 1) && current.length) {
      all.push(current);
      current = [];
    }
  });
  return all;
}

const spot = ([x, y]: readonly [number, number]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

function line(points: readonly (readonly [number, number])[], step: boolean): string {
  return points
    .map((point, i) => {
      if (!i) return `M${spot(point)}`;
      return step ? `H${point[0].toFixed(1)}V${point[1].toFixed(1)}` : `L${spot(point)}`;
    })
    .join("");
}

export interface Drawn {
  stroke: string;
  /** The area below, where there is one. */
  area: string | null;
}

export function isStep(style: Series["style"]): boolean {
  return style === "step" || style === "step-area";
}

/** A series as the path of its line, and of its area down to the axis. */
export function drawn(style: Series["style"], xs: readonly number[], ys: Values, x: Ruler, y: Ruler): Drawn {
  const parts = stretches(xs, ys, x, y);
  const step = isStep(style);
  const stroke = parts.map((points) => line(points, step)).join("");
  if (style !== "area" && style !== "step-area") return { stroke, area: null };
  const floor = y.at(y.low).toFixed(1);
  const closed = parts.map((points) => `${line(points, step)}V${floor}H${points[0]![0].toFixed(1)}Z`);
  return { stroke, area: closed.join("") };
}
