import type { Spot } from "./layout.ts";
import { BENCH, REQUESTS, RACK, WORKBENCH } from "./layout.ts";
import { rounded } from "./route.ts";

/** How the researcher gets from one place to another, and how limbs swing on the way: pure. */

/** Metres a second: brisk, so that nobody waits. */
export const PACE = 2.3;
/** Metres for two steps. */
const STRIDE = 1.25;
/** The researcher is as wide as this, with room to spare. */
const BERTH = 0.3;

/** The rug's middle: every place is reached from here. */
const HUB: Spot = { x: 0.2, y: 0, z: 0.35 };

const OBSTACLES = [BENCH, REQUESTS, WORKBENCH, { ...RACK, depth: RACK.length }].map(({ x, z, width, depth }) => ({
  left: x - width / 2 - BERTH,
  right: x + width / 2 + BERTH,
  back: z - depth / 2 - BERTH,
  front: z + depth / 2 + BERTH,
}));

/** Whether a straight walk would run into furniture. */
export function blocked(from: Spot, to: Spot): boolean {
  return OBSTACLES.some(({ left, right, back, front }) => {
    let [enter, leave] = [0, 1];
    for (const [at, way, low, high] of [
      [from.x, to.x - from.x, left, right],
      [from.z, to.z - from.z, back, front],
    ] as const) {
      if (Math.abs(way) < 1e-9) {
        if (at < low || at > high) return false;
        continue;
      }
      const [a, b] = [(low - at) / way, (high - at) / way];
      enter = Math.max(enter, Math.min(a, b));
      leave = Math.min(leave, Math.max(a, b));
    }
    return enter < leave;
  });
}

/** Straight where one can, else through the middle of the room. */
export function walkPath(from: Spot, to: Spot): Spot[] {
  return blocked(from, to) ? rounded([from, HUB, to], 0.6) : [from, to];
}

/** Angles of the limbs, in radians; forward is positive. */
export interface Gait {
  hips: [number, number];
  knees: [number, number];
  shoulders: [number, number];
  elbows: [number, number];
  /** Metres above the usual height. */
  lift: number;
  /** To the side. */
  sway: number;
}

/** One body at `metres` of its way; `share` is 0 standing and 1 in full stride. */
export function gait(metres: number, share: number): Gait {
  const phase = (2 * Math.PI * metres) / STRIDE;
  const swing = Math.sin(phase) * share;
  const bend = (at: number) => Math.max(0, Math.sin(at + 0.6)) * 0.85 * share;
  return {
    hips: [0.55 * swing, -0.55 * swing],
    knees: [bend(phase + Math.PI / 2), bend(phase - Math.PI / 2)],
    shoulders: [-0.45 * swing, 0.45 * swing],
    elbows: [0.35 * share + 0.1, 0.35 * share + 0.1],
    lift: 0.025 * share * Math.cos(2 * phase),
    sway: 0.02 * Math.sin(phase) * share,
  };
}

/** The shorter way round from one heading to another, by at most `reach`. */
export function turned(from: number, to: number, reach: number): number {
  const way = Math.atan2(Math.sin(to - from), Math.cos(to - from));
  return Math.abs(way) <= reach ? to : from + Math.sign(way) * reach;
}
