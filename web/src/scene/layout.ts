import type { MemoryBlocks, StationId, View } from "./state.ts";

/** Where things stand and how much of each there is: pure, in metres; x to the right, y up, z towards the visitor. */

export interface Spot {
  x: number;
  y: number;
  z: number;
}

export interface Box {
  min: Spot;
  max: Spot;
}

export const ROOM = { left: -5.2, right: 5.2, back: -3.2, front: 3, height: 3.3 } as const;

/** Towers stand in one row and get narrower the more of them there are. */
export const ROW = { x: 0.7, z: -1.75, span: 4.9, height: 2.3, depth: 0.95 } as const;

/** More are not drawn, only said. */
export const MOST_TOWERS = 8;

export interface TowerPlace {
  x: number;
  width: number;
}

export function towerCount(degree: number): number {
  return Math.max(1, Math.min(MOST_TOWERS, Math.floor(degree) || 1));
}

export function towerPlaces(degree: number): TowerPlace[] {
  const count = towerCount(degree);
  const pitch = Math.min(1.75, ROW.span / count);
  const width = Math.min(1.36, pitch * 0.86);
  return Array.from({ length: count }, (_, i) => ({ x: ROW.x + (i - (count - 1) / 2) * pitch, width }));
}

export type Part = "weights" | "kv" | "workspace" | "reserve" | "free";

export const PARTS: readonly Part[] = ["weights", "kv", "workspace", "reserve", "free"];

/** A device's memory as so many blocks, from the bottom up. */
export const BLOCKS = { columns: 4, rows: 10 } as const;
export const BLOCK_COUNT = BLOCKS.columns * BLOCKS.rows;
/** So many stand above the rim, the rest lies on the floor; beyond that what is over is only said. */
export const ABOVE_RIM = 24;
export const MOST_OVER = 40;

/**
 * Blocks of each part from the bottom up, a block being a fortieth of the capacity: rounded so that they add up (largest
 * remainders), and at least one for a part that is there. What does not fit comes after the capacity.
 */
export function blockParts(memory: MemoryBlocks): Part[] {
  const used = PARTS.filter((part) => part !== "free");
  const bytes = used.map((part) => Math.max(0, memory[part]));
  const total = bytes.reduce((sum, of) => sum + of, 0);
  const wanted = memory.capacity > 0 ? Math.ceil((BLOCK_COUNT * total) / memory.capacity - 1e-9) : 0;
  const count = memory.over > 0 ? Math.max(wanted, BLOCK_COUNT + 1) : Math.min(wanted, BLOCK_COUNT);
  // Shares of what is drawn, not of what would be endless: a model a thousand times too large is still quickly counted.
  const counts = share(bytes, Math.min(count, 50 * BLOCK_COUNT));
  const parts = used.flatMap((part, i) => Array.from({ length: counts[i]! }, (): Part => part));
  while (parts.length < BLOCK_COUNT) parts.push("free");
  return parts.slice(0, BLOCK_COUNT + MOST_OVER);
}

/** Whole numbers in proportion to `amounts` that add up to `whole`, none of them 0 where there is something. */
export function share(amounts: readonly number[], whole: number): number[] {
  const total = amounts.reduce((sum, of) => sum + of, 0);
  if (total <= 0) return amounts.map(() => 0);
  const exact = amounts.map((of) => (whole * of) / total);
  const counts = exact.map((of, i) => (amounts[i]! > 0 ? Math.max(1, Math.floor(of)) : 0));
  const sum = () => counts.reduce((all, of) => all + of, 0);
  const owed = (i: number) => exact[i]! - counts[i]!;
  const order = counts.map((_, i) => i);
  while (sum() < whole) {
    const next = order.toSorted((a, b) => owed(b) - owed(a))[0]!;
    counts[next]! += 1;
  }
  while (sum() > whole) {
    const rich = order.filter((i) => counts[i]! > 1).toSorted((a, b) => owed(a) - owed(b))[0];
    if (rich === undefined) break;
    counts[rich]! -= 1;
  }
  return counts;
}

/** Drawers of the rack: four for each byte of a weight, so that half the bits are half the drawers. */
export const MOST_DRAWERS = 16;

export function drawerCount(bytesPerWeight: number): number {
  return Math.max(1, Math.min(MOST_DRAWERS, Math.round(4 * bytesPerWeight)));
}

export const DESK = { most: 16 } as const;

/** Requests that queue at the desk as cards; the rest is said. */
export function cardCount(batch: number): number {
  return Math.max(0, Math.min(DESK.most, Math.round(batch)));
}

/** Magnified: rows of requests, with so many blocks at most in each. */
export const MAGNIFIED = { rows: 8, columns: 12 } as const;

export interface MagnifiedRow {
  drawn: number;
  /** Blocks that the row has beyond those drawn. */
  more: number;
}

export function magnified(blocks: readonly number[]): MagnifiedRow[] {
  return blocks.slice(0, MAGNIFIED.rows).map((count) => {
    const drawn = Math.max(0, Math.min(MAGNIFIED.columns, Math.round(count)));
    return { drawn, more: Math.max(0, Math.round(count) - drawn) };
  });
}

export const RACK = { x: -4.45, z: -1.85, width: 0.8, length: 1.9, height: 2.5 } as const;
export const SHELF = { x: 4.2, z: -2.8, width: 1.6, height: 2.3, depth: 0.5 } as const;
export const WORKBENCH = { x: 3.9, z: 1.35, width: 2.1, depth: 0.8, height: 0.82 } as const;
export const BENCH = { x: -3.2, z: 1.35, width: 1.9, depth: 0.85, height: 0.78 } as const;
export const REQUESTS = { x: 0.75, z: 2.15, width: 1.7, depth: 0.65, height: 0.72 } as const;

function around(x: number, z: number, width: number, depth: number, height: number, from = 0): Box {
  return {
    min: { x: x - width / 2, y: from, z: z - depth / 2 },
    max: { x: x + width / 2, y: height, z: z + depth / 2 },
  };
}

/** What a view must show whole. */
export function viewBox(view: View, degree: number): Box {
  const places = towerPlaces(degree);
  const [first, last] = [places[0]!, places.at(-1)!];
  const half = first.width / 2;
  const row: Box = {
    min: { x: first.x - half, y: 0, z: ROW.z - ROW.depth / 2 },
    max: { x: last.x + half, y: ROW.height + 0.5, z: ROW.z + ROW.depth / 2 },
  };
  switch (view) {
    case "overview":
      return {
        min: { x: ROOM.left + 0.2, y: 0, z: ROOM.back },
        max: { x: ROOM.right - 0.1, y: ROOM.height - 0.3, z: ROOM.front - 0.5 },
      };
    case "weights":
      return around(RACK.x, RACK.z, RACK.width + 0.3, RACK.length + 0.3, RACK.height + 0.2);
    case "compute":
      return row;
    case "memory":
      return around(WORKBENCH.x, WORKBENCH.z, WORKBENCH.width + 0.2, WORKBENCH.depth, 2.15);
    case "interconnect":
      return { min: { ...row.min, y: 1.2 }, max: { ...row.max, y: ROW.height + 0.75 } };
    case "training":
      return around(BENCH.x, BENCH.z, BENCH.width + 0.3, BENCH.depth, 1.9);
  }
}

/** Where a label points to. */
export function labelSpot(station: StationId, degree: number, over = false): Spot {
  const places = towerPlaces(degree);
  switch (station) {
    case "weights":
      return { x: RACK.x, y: RACK.height + 0.1, z: RACK.z };
    case "compute":
      return { x: places[0]!.x, y: ROW.height + (over ? 0.8 : 0.15), z: ROW.z };
    case "memory":
      return { x: WORKBENCH.x, y: 2.15, z: WORKBENCH.z };
    case "interconnect":
      return { x: places.at(-1)!.x + (places.length > 1 ? 0 : 0.95), y: ROW.height + 0.55, z: RAIL_AT.z };
    case "training":
      return { x: BENCH.x, y: 1.75, z: BENCH.z - 0.2 };
  }
}

/** Where the researcher stands at a station, and what there is to look at. */
export function standing(view: View, degree: number): { at: Spot; look: Spot } {
  const places = towerPlaces(degree);
  const [first, last] = [places[0]!, places.at(-1)!];
  const look = view === "overview" ? { x: 2.2, y: 1.4, z: 6 } : labelSpot(view, degree);
  // Beside what is shown, not before it.
  const at: Record<View, Spot> = {
    overview: { x: -1.15, y: 0, z: 0.85 },
    weights: { x: -4.05, y: 0, z: -0.3 },
    compute: { x: first.x - first.width / 2 - 0.5, y: 0, z: -0.75 },
    memory: { x: 2.1, y: 0, z: 0.75 },
    interconnect: { x: last.x + last.width / 2 + 0.45, y: 0, z: -0.75 },
    training: { x: -1.75, y: 0, z: 1.75 },
  };
  return { at: at[view], look: { ...look, y: Math.min(look.y, view === "interconnect" ? 2.6 : 1.3) } };
}

/** The shelf of the cache: a tray a request, with so many blocks at most in each. */
export const TRAYS = { columns: 4, most: 16, blocks: 6 } as const;

/** Blocks in each request's tray, in proportion to the fullest; requests beyond those counted are like the last. */
export function trayFill(batch: number, blocks: readonly number[]): number[] {
  const fullest = Math.max(1, ...blocks);
  return Array.from({ length: Math.min(TRAYS.most, Math.round(batch)) }, (_, i) => {
    const own = blocks[Math.min(i, blocks.length - 1)] ?? 0;
    return own > 0 ? Math.max(1, Math.round((TRAYS.blocks * own) / fullest)) : 0;
  });
}

export const BOARD = { x: -2.7, y: 1.95, width: 2.5, height: 1.55 } as const;

/** The bridge runs along the backs of the towers. */
export const RAIL_AT = { y: ROW.height + 0.4, z: ROW.z - 0.3 } as const;

export interface Target {
  station: StationId;
  box: Box;
}

/** What a click can hit. */
export function targets(degree: number): Target[] {
  const row = viewBox("compute", degree);
  const rail = RAIL_AT.y - 0.2;
  const shelf = around(SHELF.x, SHELF.z, SHELF.width, SHELF.depth, SHELF.height);
  return [
    { station: "weights", box: viewBox("weights", degree) },
    { station: "compute", box: { ...row, max: { ...row.max, y: rail } } },
    { station: "interconnect", box: { ...row, min: { ...row.min, y: rail } } },
    { station: "memory", box: viewBox("memory", degree) },
    { station: "memory", box: shelf },
    { station: "training", box: viewBox("training", degree) },
  ];
}

/** The station that a ray hits first. */
export function hit(from: Spot, way: Spot, degree: number): StationId | null {
  let [nearest, found]: [number, StationId | null] = [Infinity, null];
  for (const { station, box } of targets(degree)) {
    const at = entry(from, way, box);
    if (at < nearest) [nearest, found] = [at, station];
  }
  return found;
}

/** How far along a ray a box begins; Infinity where it is missed. */
function entry(from: Spot, way: Spot, { min, max }: Box): number {
  let [enter, leave] = [0, Infinity];
  for (const axis of ["x", "y", "z"] as const) {
    const [a, b] = [(min[axis] - from[axis]) / way[axis], (max[axis] - from[axis]) / way[axis]];
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  }
  return enter <= leave ? enter : Infinity;
}
