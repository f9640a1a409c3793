import { RAIL_AT, ROW, towerPlaces, WORKBENCH, BENCH, RACK } from "./layout.ts";
import type { Spot } from "./layout.ts";

/** Lines that something moves along, with round corners: pure. */

export interface Route {
  points: Spot[];
  /** Metres from the start to each point. */
  upTo: number[];
  length: number;
}

const CORNER = 0.45;
const CORNER_STEPS = 7;

const between = (a: Spot, b: Spot, t: number): Spot => ({
  x: a.x + (b.x - a.x) * t,
  y: a.y + (b.y - a.y) * t,
  z: a.z + (b.z - a.z) * t,
});

const apart = (a: Spot, b: Spot): number => Math.hypot(b.x - a.x, b.y - a.y, b.z - a.z);

/** Each corner becomes a curve that starts and ends on its two legs. */
export function rounded(corners: readonly Spot[], radius = CORNER): Spot[] {
  const points: Spot[] = [];
  corners.forEach((corner, i) => {
    const [before, after] = [corners[i - 1], corners[i + 1]];
    if (!before || !after) return points.push(corner);
    const reach = Math.min(radius, apart(before, corner) / 2, apart(corner, after) / 2);
    const from = between(corner, before, reach / apart(corner, before));
    const to = between(corner, after, reach / apart(corner, after));
    for (let k = 0; k <= CORNER_STEPS; k += 1) {
      const t = k / CORNER_STEPS;
      points.push(between(between(from, corner, t), between(corner, to, t), t));
    }
    return points.length;
  });
  return points;
}

export function route(points: Spot[]): Route {
  const upTo = [0];
  for (let i = 1; i < points.length; i += 1) upTo.push(upTo[i - 1]! + apart(points[i - 1]!, points[i]!));
  return { points, upTo, length: upTo.at(-1)! };
}

/** Where one is after so many metres, and which way one looks there (radians, 0 towards the visitor). */
export function along({ points, upTo, length }: Route, metres: number): { at: Spot; heading: number } {
  const gone = Math.min(length, Math.max(0, metres));
  const next = Math.max(
    1,
    upTo.findIndex((of) => of >= gone),
  );
  const [a, b] = [points[next - 1] ?? points[0]!, points[next] ?? points[0]!];
  const leg = (upTo[next] ?? 0) - (upTo[next - 1] ?? 0);
  const at = leg > 0 ? between(a, b, (gone - upTo[next - 1]!) / leg) : b;
  return { at, heading: Math.atan2(b.x - a.x, b.z - a.z) };
}

export type Way = "weights" | "kv" | "links" | "training";

const FLOOR = 0.03;

/** The four lines of the room. They end under the middle of the towers, or run along the bridge. */
export function ways(degree: number): Record<Way, Spot[]> {
  const places = towerPlaces(degree);
  const front = ROW.z + ROW.depth / 2;
  const spot = (x: number, z: number, y = FLOOR): Spot => ({ x, y, z });
  const lane = front + 0.42;
  const [first, last] = [places[0]!, places.at(-1)!];
  const half = Math.max(0.3, first.width * 0.3);
  return {
    weights: rounded([
      spot(RACK.x + RACK.width / 2, lane),
      spot(first.x - half * 0.4, lane),
      spot(first.x - half * 0.4, front),
    ]),
    kv: rounded([
      spot(WORKBENCH.x - 0.2, WORKBENCH.z - WORKBENCH.depth / 2),
      spot(WORKBENCH.x - 0.2, lane),
      spot(last.x + half * 0.4, lane),
      spot(last.x + half * 0.4, front),
    ]),
    links: [spot(first.x, RAIL_AT.z, RAIL_AT.y), spot(last.x, RAIL_AT.z, RAIL_AT.y)],
    training: rounded([
      spot(BENCH.x + BENCH.width / 2 + 0.1, BENCH.z - 0.2),
      spot(ROW.x - 1.5, BENCH.z - 0.2),
      spot(ROW.x - 1.5, lane + 0.35),
      spot(ROW.x, lane + 0.35),
      spot(ROW.x, front),
    ]),
  };
}
