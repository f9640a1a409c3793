import type { Lives, Window, WindowRun } from "../../api/traffic.ts";
import { fillOf } from "./palette.ts";
import type { Palette } from "./palette.ts";
import type { Range } from "./time.ts";

/** A row a request, from its arrival to its last token. Which requests are in sight, by index. */
export interface Rows {
  first: number;
  last: number;
}

export interface Size {
  width: number;
  height: number;
}

/** Shown requests that are alive in a range under any policy: the same for all, so that rows line up side by side. */
export function rowsIn(window: Window, range: Range): Rows {
  const { request, every, first, last } = window.requests;
  const lives = window.runs.flatMap((run) => (run ? [run.requests] : []));
  let low = -1;
  let high = -1;
  for (let i = 0; i < request.length; i++) {
    if (!lives.some((life) => isAlive(life, i, range))) continue;
    if (low < 0) low = request[i]!;
    high = request[i]!;
  }
  return low < 0 ? { first, last } : { first: low, last: Math.min(high + every - 1, Math.max(last, high)) };
}

function isAlive(life: Lives, i: number, { start, end }: Range): boolean {
  const arrival = life.arrival_s[i] ?? Infinity;
  return arrival <= end && (life.finished_s[i] ?? arrival) >= start;
}

export interface Scales {
  x: (time: number) => number;
  y: (request: number) => number;
  /** Height of a row; as many requests as one stands for share it. */
  row: number;
}

export function scalesOf(range: Range, rows: Rows, every: number, { width, height }: Size): Scales {
  const perSecond = width / (range.end - range.start);
  const perRow = height / (rows.last - rows.first + 1);
  return {
    x: (time) => (time - range.start) * perSecond,
    y: (request) => (request - rows.first) * perRow,
    row: perRow * every,
  };
}

/** From where to where each request is in a phase that its columns tell of. */
type Ends = readonly [from: keyof Lives, to: keyof Lives];
const QUEUE: Ends = ["arrival_s", "admitted_s"];
const PREFILL: Ends = ["admitted_s", "first_token_s"];
const DECODE: Ends = ["first_token_s", "finished_s"];

interface Scene {
  window: Window;
  run: WindowRun;
  range: Range;
  rows: Rows;
  size: Size;
  colours: Palette;
}

/** Draws every request of a run: queue, prefill, decode with what stalled it, preemption on top. */
export function paintLives(ctx: CanvasRenderingContext2D, scene: Scene): void {
  const { window, run, range, rows, size } = scene;
  const scales = scalesOf(range, rows, window.requests.every, size);
  paintDecodes(ctx, scene, scales);
  ctx.fillStyle = fillOf(ctx, "queue", scene.colours, scales.row);
  spans(ctx, scene, scales, QUEUE);
  ctx.fillStyle = fillOf(ctx, "prefill", scene.colours, scales.row);
  spans(ctx, scene, scales, PREFILL);
  ctx.fillStyle = fillOf(ctx, "preempted", scene.colours, scales.row);
  const { request, start_s, end_s } = run.preempted;
  for (let i = 0; i < request.length; i++) bar(ctx, scales, size, request[i]!, start_s[i]!, end_s[i]!);
  paintRejected(ctx, scene, scales);
}

/** Decoding, then over it the stalls: they are common to all that decode, so they are columns of the whole picture. */
function paintDecodes(ctx: CanvasRenderingContext2D, scene: Scene, scales: Scales): void {
  const { run, range, size, colours } = scene;
  ctx.fillStyle = fillOf(ctx, "decode", colours, scales.row);
  spans(ctx, scene, scales, DECODE);
  ctx.globalCompositeOperation = "source-atop";
  ctx.fillStyle = fillOf(ctx, "stalled", colours, scales.row);
  if (run.passes) {
    const { start_s, end_s, decode_s, decoding } = run.passes;
    for (let i = 0; i < start_s.length; i++) {
      if (!decoding[i] || end_s[i]! < range.start || start_s[i]! > range.end) continue;
      const from = scales.x(Math.min(end_s[i]!, start_s[i]! + decode_s[i]!));
      ctx.fillRect(from, 0, scales.x(end_s[i]!) - from, size.height);
    }
  } else paintShares(ctx, scene, scales);
  ctx.globalAlpha = 1;
  ctx.globalCompositeOperation = "source-over";
}

/** Where passes are too many to tell apart: as strong as the share of the time that was lost. */
function paintShares(ctx: CanvasRenderingContext2D, { window, run, range, size }: Scene, scales: Scales): void {
  const { stalled, decode } = run.bins;
  const step = (window.end_s - window.start_s) / window.bins;
  for (let i = 0; i < stalled.length; i++) {
    const at = window.start_s + i * step;
    const lost = stalled[i]! / (stalled[i]! + decode[i]! || 1);
    if (lost <= 0 || at + step < range.start || at > range.end) continue;
    ctx.globalAlpha = lost;
    ctx.fillRect(scales.x(at), 0, step * (scales.x(1) - scales.x(0)) + 0.5, size.height);
  }
}

function spans(ctx: CanvasRenderingContext2D, { window, run, size }: Scene, scales: Scales, [from, to]: Ends): void {
  const { request } = window.requests;
  const starts = run.requests[from];
  const ends = run.requests[to];
  for (let i = 0; i < request.length; i++) {
    const start = starts[i] ?? null;
    const end = ends[i] ?? null;
    if (start !== null && end !== null) bar(ctx, scales, size, request[i]!, start, end);
  }
}

/** At least a pixel each way, so that nothing that happened is missing from the picture. */
function bar(
  ctx: CanvasRenderingContext2D,
  { x, y, row }: Scales,
  { width, height }: Size,
  request: number,
  start: number,
  end: number,
): void {
  const top = y(request);
  const left = Math.max(x(start), -1);
  const right = Math.min(x(end), width + 1);
  if (right <= left || top >= height || top + row <= 0) return;
  const gap = row >= 4 ? 1 : 0;
  ctx.fillRect(left, row < 1 ? Math.floor(top) : top, Math.max(right - left, 0.5), Math.max(row - gap, 1));
}

function paintRejected(ctx: CanvasRenderingContext2D, { window, run, size, colours }: Scene, scales: Scales): void {
  const { request } = window.requests;
  const { arrival_s, admitted_s } = run.requests;
  ctx.fillStyle = colours.bad;
  for (let i = 0; i < request.length; i++) {
    if (admitted_s[i] !== null) continue;
    const side = Math.max(2, Math.min(6, scales.row));
    const [x, y] = [scales.x(arrival_s[i]!), scales.y(request[i]!)];
    if (x > -side && x < size.width) ctx.fillRect(x, y, side, side);
  }
}

/** The shown request nearest to a point of the picture; null where there is none. */
export function requestAt(window: Window, range: Range, size: Size, y: number): number | null {
  const rows = rowsIn(window, range);
  const wanted = rows.first + (y / size.height) * (rows.last - rows.first + 1);
  const { request } = window.requests;
  const after = request.findIndex((one) => one > wanted);
  const at = after < 0 ? request.length - 1 : after - 1;
  return request[Math.max(at, 0)] ?? null;
}
