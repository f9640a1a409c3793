import { readTokens } from "../../ui/tokens.ts";

/** The design tokens a canvas draws with. */
const TOKENS = {
  queue: "--q-queue",
  prefill: "--q-math",
  decode: "--q-traffic",
  stalled: "--q-stalled",
  preempted: "--q-preempted",
  kv: "--q-kv",
  ink: "--ink",
  quiet: "--ink-3",
  line: "--line",
  accent: "--accent",
  bad: "--bad",
} as const;

export type Tone = keyof typeof TOKENS;
export type Palette = Readonly<Record<Tone, string>>;

const read = new Map<string, Palette>();

/** The colours as a theme has them while it is in use: a canvas cannot read a token. Each theme is read once. */
export function palette(theme: string): Palette {
  const known = read.get(theme);
  if (known) return known;
  const found: Palette = readTokens(TOKENS);
  read.set(theme, found);
  return found;
}

type Stroke = (ctx: OffscreenCanvasRenderingContext2D) => void;

function diagonal(colour: string, width: number, way: 1 | -1): Stroke {
  return (ctx) => {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.beginPath();
    for (const shift of [-8, 0, 8]) {
      ctx.moveTo(shift, way > 0 ? 8 : 0);
      ctx.lineTo(shift + 8, way > 0 ? 0 : 8);
    }
    ctx.stroke();
  };
}

/** Over the colour, as the fills of the page have it: colour is never alone. */
const STROKES: Partial<Record<Tone, Stroke>> = {
  queue: diagonal("rgb(255 255 255 / 0.35)", 1, -1),
  decode: diagonal("rgb(0 0 0 / 0.22)", 2, 1),
  stalled: (ctx) => {
    ctx.fillStyle = "rgb(0 0 0 / 0.3)";
    ctx.fillRect(0, 0, 1, 8);
    ctx.fillRect(4, 0, 1, 8);
  },
  preempted: (ctx) => {
    ctx.fillStyle = "rgb(255 255 255 / 0.6)";
    for (const [x, y] of [
      [1, 1],
      [5, 5],
    ] as const)
      ctx.fillRect(x, y, 2, 2);
  },
};

const tiles = new Map<string, OffscreenCanvas>();

function tileOf(tone: Tone, colour: string, stroke: Stroke): OffscreenCanvas {
  const key = `${tone} ${colour}`;
  const known = tiles.get(key);
  if (known) return known;
  const tile = new OffscreenCanvas(8, 8);
  const brush = tile.getContext("2d");
  if (brush) {
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 8, 8);
    stroke(brush);
  }
  tiles.set(key, tile);
  return tile;
}

/** A fill with the pattern of what it stands for; where there is no room to see it, the plain colour. */
export function fillOf(
  ctx: CanvasRenderingContext2D,
  tone: Tone,
  colours: Palette,
  room: number,
): string | CanvasPattern {
  const stroke = STROKES[tone];
  if (!stroke || room < 5) return colours[tone];
  return ctx.createPattern(tileOf(tone, colours[tone], stroke), "repeat") ?? colours[tone];
}
