import type { StationId } from "./state.ts";

/** Where labels go over the picture, so that none covers another and none is cut off: pure. Pixels. */

export interface Wanted {
  id: StationId;
  /** What the label points to: it sits above, in the middle. */
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Laid {
  id: StationId;
  left: number;
  top: number;
}

interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

const GAP = 6;
const EDGE = 8;
/** By how much a label may be off its place, in its own sizes: first those that are least noticed. */
const TRIES: readonly (readonly [number, number])[] = [
  [0, 0],
  [0, -1.1],
  [0.55, 0],
  [-0.55, 0],
  [0.55, -1.1],
  [-0.55, -1.1],
  [1.1, 0],
  [-1.1, 0],
  [0, 1.1],
  [1.1, 1.1],
  [-1.1, 1.1],
];

function apart(a: Rect, b: Rect): boolean {
  return (
    a.left + a.width + GAP <= b.left ||
    b.left + b.width + GAP <= a.left ||
    a.top + a.height + GAP <= b.top ||
    b.top + b.height + GAP <= a.top
  );
}

function inside({ left, top, width, height }: Rect, frame: { width: number; height: number }): Rect {
  const fit = (at: number, size: number, whole: number) => Math.max(EDGE, Math.min(whole - EDGE - size, at));
  return { left: fit(left, width, frame.width), top: fit(top, height, frame.height), width, height };
}

/** The first of `wanted` matter most: the last are left out where there is no room, and so is what lies outside. */
export function layLabels(wanted: readonly Wanted[], frame: { width: number; height: number }): Laid[] {
  const taken: (Rect & { id: StationId })[] = [];
  for (const { id, x, y, width, height } of wanted) {
    if (x < 0 || y < 0 || x > frame.width || y > frame.height + height) continue;
    const rects = TRIES.map(([dx, dy]) =>
      inside({ left: x - width / 2 + dx * (width + GAP), top: y - height + dy * (height + GAP), width, height }, frame),
    );
    const free = rects.find((rect) => taken.every((other) => apart(rect, other)));
    if (free) taken.push({ id, ...free });
  }
  return taken.map(({ id, left, top }) => ({ id, left: Math.round(left), top: Math.round(top) }));
}
