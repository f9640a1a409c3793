import type { Bins, Window } from "../../api/traffic.ts";
import { fillOf } from "./palette.ts";
import type { Palette, Tone } from "./palette.ts";
import type { Size } from "./lives.ts";
import type { Range } from "./time.ts";

/** How many of something there are over time: bins stacked on each other, from exact means. */
export type Level = keyof Bins;

/** The colour of each level where it is not a phase of life. */
const TONE_OF: Partial<Record<Level, Tone>> = { kv_occupancy: "kv", running: "ink", waiting: "queue" };

/** Indexes of the bins that a range touches. */
export function binsIn(window: Window, range: Range): { from: number; to: number } {
  const step = (window.end_s - window.start_s) / window.bins;
  const from = Math.floor((range.start - window.start_s) / step);
  const to = Math.ceil((range.end - window.start_s) / step);
  return { from: Math.max(0, from), to: Math.min(window.bins, to) };
}

/** The highest stack in a range under any policy: side by side, the same height is the same number. */
export function highest(window: Window, range: Range, levels: readonly Level[]): number {
  const { from, to } = binsIn(window, range);
  let most = 0;
  for (const run of window.runs) {
    if (!run) continue;
    for (let i = from; i < to; i++) {
      const sum = levels.reduce((total, level) => total + run.bins[level][i]!, 0);
      if (sum > most) most = sum;
    }
  }
  return most;
}

interface Scene {
  window: Window;
  bins: Bins;
  range: Range;
  levels: readonly Level[];
  /** What the whole height stands for. */
  top: number;
  size: Size;
  colours: Palette;
}

export function paintLevels(ctx: CanvasRenderingContext2D, scene: Scene): void {
  const { window, bins, range, levels, top, size, colours } = scene;
  const { from, to } = binsIn(window, range);
  const step = (window.end_s - window.start_s) / window.bins;
  const perSecond = size.width / (range.end - range.start);
  const left = (i: number) => (window.start_s + i * step - range.start) * perSecond;
  const floor = new Float64Array(Math.max(0, to - from));
  for (const level of levels) {
    const tone = TONE_OF[level] ?? (level as Tone);
    ctx.fillStyle = fillOf(ctx, tone, colours, 8);
    ctx.beginPath();
    for (let i = from; i < to; i++) {
      const value = bins[level][i]!;
      if (value <= 0) continue;
      const base = floor[i - from]!;
      floor[i - from] = base + value;
      const height = (value / (top || 1)) * size.height;
      ctx.rect(left(i), size.height - (base / (top || 1)) * size.height - height, left(i + 1) - left(i) + 0.3, height);
    }
    ctx.fill();
  }
}

/** The mean of a level over a range, weighted by time: of the bins, as they are drawn. */
export function meanOf(window: Window, bins: Bins, range: Range, level: Level): number {
  const { from, to } = binsIn(window, range);
  const values = bins[level].slice(from, to);
  return values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
}

/** The level at a moment; null where the window does not tell of it. */
export function levelAt(window: Window, bins: Bins, level: Level, at: number): number | null {
  if (at < window.start_s || at > window.end_s) return null;
  const step = (window.end_s - window.start_s) / window.bins;
  const i = Math.min(Math.floor((at - window.start_s) / step), window.bins - 1);
  return bins[level][i] ?? null;
}
