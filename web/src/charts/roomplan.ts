/** Geometry of the flat drawing of the room, in pixels: what stands where, and how large. */
import type { MemoryBlocks, RoomState } from "../scene/state.ts";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Part = "weights" | "kv_cache" | "workspace" | "reserve" | "free" | "over";

export interface Slab extends Box {
  part: Part;
}

export interface Tower extends Box {
  slabs: Slab[];
  /** Where the device's memory ends. */
  capacityY: number;
}

export interface Dot {
  x: number;
  y: number;
}

export interface Plan {
  rack: Box;
  drawers: Box[];
  towers: Tower[];
  shelf: Box;
  blocks: Box[];
  /** How many blocks of a request are not drawn. */
  more: number;
  board: Box;
  bench: Box;
  desk: Box;
  queue: Dot[];
  flows: { weights: Dot[]; kv: Dot[]; links: Dot[] };
}

export const TOWERS_DRAWN = 8;
const BLOCKS_DRAWN = 12;
const QUEUE_DRAWN = 16;
/** Drawers of a rack whose weights take four bytes each. */
const FULL_RACK = 12;
const GAP = 4;
/** Dots of a stretch of the bridge, at most. */
const LINK_DOTS = 6;

const KINDS: readonly [Part, keyof MemoryBlocks][] = [
  ["weights", "weights"],
  ["kv_cache", "kv"],
  ["workspace", "workspace"],
  ["reserve", "reserve"],
  ["free", "free"],
];

/** The parts of one device from the floor up, at their true sizes; a tower that overflows is as high as what it needs. */
function tower(box: Box, memory: MemoryBlocks): Tower {
  const whole = memory.capacity + memory.over;
  const scale = whole > 0 ? box.height / whole : 0;
  let y = box.y + box.height;
  const slabs = KINDS.flatMap(([part, key]): Slab[] => {
    const height = memory[key] * scale;
    y -= height;
    return height > 0 ? [{ part, x: box.x, y, width: box.width, height }] : [];
  });
  const capacityY = box.y + box.height - memory.capacity * scale;
  if (memory.over > 0) slabs.push({ part: "over", x: box.x, y: box.y, width: box.width, height: capacityY - box.y });
  return { ...box, slabs, capacityY };
}

function towers({ towers: n, memory }: RoomState, area: Box): Tower[] {
  const drawn = Math.min(n, TOWERS_DRAWN);
  const pitch = area.width / drawn;
  const width = Math.min(96, pitch * 0.64);
  if (!memory) return [];
  return Array.from({ length: drawn }, (_, i) =>
    tower({ x: area.x + pitch * (i + 0.5) - width / 2, y: area.y, width, height: area.height }, memory),
  );
}

/** Evenly along a line, neither end included. */
function along(count: number, from: Dot, to: Dot): Dot[] {
  return Array.from({ length: count }, (_, i) => {
    const t = (i + 1) / (count + 1);
    return { x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t };
  });
}

function drawers(bytesPerWeight: number, rack: Box): Box[] {
  const pitch = rack.height / FULL_RACK;
  const count = Math.min(FULL_RACK, Math.max(1, Math.round((FULL_RACK * bytesPerWeight) / 4)));
  return Array.from({ length: count }, (_, i) => ({
    x: rack.x + GAP,
    y: rack.y + rack.height - pitch * (i + 1) + 1,
    width: rack.width - 2 * GAP,
    height: pitch - 2,
  }));
}

/** A column a request; as many blocks as fit, each standing for the same number of real ones. */
function blocks(perRequest: readonly number[], budget: number, shelf: Box): { blocks: Box[]; more: number } {
  const columns = Math.max(perRequest.length, 1);
  const share = Math.max(1, Math.ceil(budget / BLOCKS_DRAWN));
  const [pitchX, pitchY] = [shelf.width / columns, shelf.height / BLOCKS_DRAWN];
  const made = perRequest.flatMap((count, column) =>
    Array.from({ length: Math.min(BLOCKS_DRAWN, Math.ceil(count / share)) }, (_, row) => ({
      x: shelf.x + column * pitchX + 1,
      y: shelf.y + shelf.height - (row + 1) * pitchY + 1,
      width: Math.max(2, pitchX - 2),
      height: Math.max(2, pitchY - 2),
    })),
  );
  return { blocks: made, more: share };
}

function middle(box: Box): Dot {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** The dots of each path: from the rack and the shelf to the nearest tower, and from tower to tower over the bridge. */
function flows({ flows: dots }: RoomState, stood: readonly Tower[], rack: Box, shelf: Box): Plan["flows"] {
  const [first, last] = [stood[0], stood.at(-1)];
  if (!first || !last) return { weights: [], kv: [], links: [] };
  const [rackY, shelfY, bridgeY] = [middle(rack).y, middle(shelf).y, first.y - 12];
  return {
    weights: along(dots.weights, { x: rack.x + rack.width, y: rackY }, { x: first.x, y: rackY }),
    kv: along(dots.kv, { x: shelf.x, y: shelfY }, { x: last.x + last.width, y: shelfY }),
    links: stood.slice(1).flatMap((to, i) => {
      const from = stood[i] ?? to;
      const [start, end] = [middle(from).x, middle(to).x];
      return along(Math.min(dots.links, LINK_DOTS), { x: start, y: bridgeY }, { x: end, y: bridgeY });
    }),
  };
}

/** Everything in its place. `budget` is how many blocks a request may come to. */
export function plan(state: RoomState, width: number, height: number, budget: number): Plan {
  const [top, floor] = [34, height - 44];
  const area = (from: number, to: number, y = top, until = floor): Box => ({
    x: width * from,
    y,
    width: width * (to - from),
    height: until - y,
  });
  const half = top + (floor - top) * 0.52;
  const rack = area(0.02, 0.14, top + 12);
  const shelf = area(0.66, 0.8, top + 40);
  const stood = towers(state, area(0.2, 0.62, top + 40));
  return {
    rack,
    drawers: drawers(state.bytesPerWeight, rack),
    towers: stood,
    shelf,
    ...blocks(state.kvBlocksPerRequest, budget, shelf),
    board: area(0.84, 0.98, top, half - 14),
    bench: area(0.84, 0.98, half + 14),
    desk: { x: width * 0.2, y: floor + 10, width: width * 0.42, height: 12 },
    queue: Array.from({ length: Math.min(state.batch, QUEUE_DRAWN) }, (_, i) => ({
      x: width * (0.2 + (0.42 * (i + 0.5)) / QUEUE_DRAWN),
      y: floor + 20,
    })),
    flows: flows(state, stood, rack, shelf),
  };
}

/** The whiteboard: the roof with its knee, and the points under it, both axes by ratios. */
export function board(of: RoomState["roofline"], { x, y, width, height }: Box): { roof: string; points: Dot[] } {
  if (!of) return { roof: "", points: [] };
  const logs = of.points.map(({ intensity, rate }) => [Math.log10(intensity), Math.log10(rate)] as const);
  const knee = Math.log10(of.knee);
  // A point on the slope tells the rate at the knee: the highest that any point allows.
  const peak = Math.max(...logs.map(([work, rate]) => rate + Math.max(0, knee - work)));
  const [low, high] = [
    Math.min(knee, ...logs.map(([work]) => work)) - 0.4,
    Math.max(knee, ...logs.map(([work]) => work)) + 0.6,
  ];
  const bottom = Math.min(peak + low - knee, ...logs.map(([, rate]) => rate)) - 0.2;
  const at = (work: number, rate: number): Dot => ({
    x: x + 6 + ((width - 12) * (work - low)) / (high - low),
    y: y + height - 6 - ((height - 12) * (rate - bottom)) / (peak + 0.3 - bottom),
  });
  const corners = [at(low, peak + low - knee), at(knee, peak), at(high, peak)];
  const roof = corners.map((corner, i) => `${i ? "L" : "M"}${corner.x.toFixed(1)} ${corner.y.toFixed(1)}`).join("");
  return { roof, points: logs.map(([work, rate]) => at(work, rate)) };
}
