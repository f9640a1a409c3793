import { scaleLog } from "d3-scale";
import type { Palette } from "./palette.ts";
import { font, line } from "./picture.ts";
import type { Roofline, Training } from "./state.ts";

/** What stands on the whiteboard and on the bench's screen. */

type Pen = CanvasRenderingContext2D;

/** Round bounds for a logarithmic axis, a little beyond what is on it. */
export function decades(values: readonly number[]): [number, number] {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (!positive.length) return [1, 10];
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  return [10 ** Math.floor(Math.log10(low) - 0.15), 10 ** Math.ceil(Math.log10(high) + 0.15)];
}

/** The roof's flat part: no point lies above it, and where one has reached the knee it lies under that part. */
export function roofRate({ knee, points }: Roofline): number {
  return Math.max(1, ...points.map(({ intensity, rate }) => rate * Math.max(1, knee / intensity)));
}

const INK = "#1d2433";
const FADED = "#6b7488";

export function drawRoofline(
  ctx: Pen,
  size: readonly [number, number],
  roofline: Roofline | null,
  palette: Palette,
): void {
  const [width, height] = size;
  ctx.fillStyle = palette.css.board;
  ctx.fillRect(0, 0, width, height);
  ctx.fillStyle = INK;
  ctx.font = font(60, 650);
  ctx.textBaseline = "alphabetic";
  ctx.fillText("Work per byte", 52, 92);
  if (!roofline) {
    ctx.fillStyle = FADED;
    ctx.font = font(46);
    ctx.fillText("no figure of performance", 52, 180);
    return;
  }
  const { knee, points } = roofline;
  const top = roofRate(roofline);
  const shown = points.filter(({ intensity, rate }) => intensity > 0 && rate > 0);
  const x = scaleLog(decades([knee, ...shown.map((of) => of.intensity)]), [90, width - 60]);
  const [low] = x.domain() as [number, number];
  const least = Math.min(top * Math.min(1, low / knee), ...shown.map((of) => of.rate));
  const y = scaleLog([least / 1.6, top * 1.5], [height - 110, 150]);
  drawRoof(ctx, { x, y }, roofline, [width, height]);
  for (const { name, intensity, rate } of shown) {
    const [phase = "", rest] = name.split(/[ ,]+/);
    const colour = phase.toLowerCase() === "prefill" ? palette.css.math : palette.css.traffic;
    // A stage of a phase is a small point without its name: the phase as a whole has it.
    const whole = rest === undefined || name.includes("whole");
    drawPoint(ctx, [x(intensity), y(rate)], { name: whole ? phase : "", colour, left: x(intensity) > width * 0.6 });
  }
}

interface Axes {
  x: (value: number) => number;
  y: (value: number) => number;
}

function drawRoof(ctx: Pen, { x, y }: Axes, roofline: Roofline, [width, height]: readonly [number, number]): void {
  const top = roofRate(roofline);
  const base = height - 110;
  ctx.lineCap = ctx.lineJoin = "round";
  ctx.strokeStyle = FADED;
  ctx.lineWidth = 4;
  line(ctx, [
    [90, 130],
    [90, base],
    [width - 50, base],
  ]);
  ctx.setLineDash([14, 14]);
  line(ctx, [
    [x(roofline.knee), y(top)],
    [x(roofline.knee), base],
  ]);
  ctx.setLineDash([]);
  ctx.strokeStyle = INK;
  ctx.lineWidth = 10;
  const left = Math.max(90, 0);
  const slope = (y(top / 10) - y(top)) / (x(roofline.knee) - x(roofline.knee / 10));
  const start = y(top) + slope * (x(roofline.knee) - left);
  line(ctx, [
    [left, Math.min(base, start)],
    [x(roofline.knee), y(top)],
    [width - 60, y(top)],
  ]);
  ctx.fillStyle = FADED;
  ctx.font = font(46);
  ctx.fillText("FLOP per byte", width - 350, height - 40);
  ctx.fillText("knee", Math.min(x(roofline.knee) + 14, width - 170), base - 18);
}

interface Marked {
  name: string;
  colour: string;
  left: boolean;
}

function drawPoint(ctx: Pen, [x, y]: readonly [number, number], { name, colour, left }: Marked): void {
  ctx.beginPath();
  ctx.arc(x, y, name ? 22 : 11, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
  ctx.lineWidth = name ? 5 : 3;
  ctx.strokeStyle = INK;
  ctx.stroke();
  ctx.fillStyle = INK;
  ctx.font = font(54, 600);
  ctx.textAlign = left ? "right" : "left";
  ctx.fillText(name, x + (left ? -34 : 34), y + 62);
  ctx.textAlign = "left";
}

/** Loss and probability, step by step. */
export function drawTraining(ctx: Pen, size: readonly [number, number], of: Training | null, palette: Palette): void {
  const [width, height] = size;
  ctx.fillStyle = "#0b1020";
  ctx.fillRect(0, 0, width, height);
  const [left, right, low, high] = [60, width - 40, height - 60, 130];
  ctx.strokeStyle = "#3c4763";
  ctx.lineWidth = 4;
  line(ctx, [
    [left, high - 30],
    [left, low],
    [right, low],
  ]);
  ctx.textBaseline = "alphabetic";
  const losses = of?.losses ?? [];
  const probabilities = of?.probabilities ?? [];
  const steps = Math.max(4, losses.length - 1, probabilities.length - 1);
  const most = Math.max(0.1, ...losses);
  const at = (values: readonly number[], whole: number) =>
    values.map((value, i) => [left + ((right - left) * i) / steps, low - ((low - high) * value) / whole] as const);
  drawCurve(ctx, at(probabilities, 1), palette.css.math, []);
  drawCurve(ctx, at(losses, most), palette.css.traffic, [22, 14]);
  if (!losses.length) return drawIdle(ctx, size);
  ctx.font = font(56, 600);
  ctx.fillStyle = palette.css.traffic;
  ctx.fillText(`loss ${losses.at(-1)!.toFixed(3)}`, left, 78);
  ctx.fillStyle = palette.css.math;
  ctx.textAlign = "right";
  ctx.fillText(probabilities.length ? `p ${probabilities.at(-1)!.toFixed(3)}` : "p", right, 78);
  ctx.textAlign = "left";
}

function drawIdle(ctx: Pen, [width, height]: readonly [number, number]): void {
  ctx.fillStyle = "#9aa6c2";
  ctx.font = font(54, 600);
  ctx.textAlign = "center";
  ctx.fillText("one weight to train", width / 2, height / 2 + 10);
  ctx.textAlign = "left";
}

function drawCurve(ctx: Pen, points: readonly (readonly [number, number])[], colour: string, dash: number[]): void {
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = 9;
  ctx.lineJoin = "round";
  ctx.setLineDash(dash);
  line(ctx, points);
  ctx.setLineDash([]);
  for (const [x, y] of points.slice(-1)) {
    ctx.beginPath();
    ctx.arc(x, y, 16, 0, 2 * Math.PI);
    ctx.fill();
  }
}
