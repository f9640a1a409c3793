import { CanvasTexture, SRGBColorSpace } from "three";

/** A flat picture on a thing in the room: drawn at twice what is seen of it, so that it stays crisp. */
export class Picture {
  readonly texture: CanvasTexture;
  #canvas: HTMLCanvasElement;
  #drawn = "";

  constructor(width: number, height: number) {
    this.#canvas = document.createElement("canvas");
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.texture = new CanvasTexture(this.#canvas);
    this.texture.colorSpace = SRGBColorSpace;
    this.texture.anisotropy = 4;
  }

  /** Draws when what it shows has changed. */
  draw(shows: unknown, paint: (ctx: CanvasRenderingContext2D, width: number, height: number) => void): void {
    const now = JSON.stringify(shows);
    const ctx = this.#canvas.getContext("2d");
    if (now === this.#drawn || !ctx) return;
    this.#drawn = now;
    const { width, height } = this.#canvas;
    ctx.clearRect(0, 0, width, height);
    paint(ctx, width, height);
    this.texture.needsUpdate = true;
  }
}

/** The page's own type, on pictures. */
export function font(px: number, weight = 500): string {
  return `${weight} ${px}px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif`;
}

export function line(ctx: CanvasRenderingContext2D, points: readonly (readonly [number, number])[]): void {
  ctx.beginPath();
  points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
  ctx.stroke();
}
