/** Hands on the canvas: drag, wheel, pinch, arrow keys, click. What they mean is the room's business. */

export interface Hands {
  /** Turned by so many radians. */
  turn(azimuth: number, elevation: number): void;
  /** Nearer below 1, further above. */
  zoom(factor: number): void;
  /** Clicked, in pixels from the canvas's corner. */
  pick(x: number, y: number): void;
  /** Whether something to click lies there. */
  hover(x: number, y: number): boolean;
}

const PER_PIXEL = 0.006;
const PER_KEY = 0.12;
const PER_ZOOM_KEY = 1.12;
/** A click may tremble by so many pixels. */
const TREMBLE = 5;

const KEYS: Record<string, (hands: Hands) => void> = {
  ArrowLeft: (hands) => hands.turn(-PER_KEY, 0),
  ArrowRight: (hands) => hands.turn(PER_KEY, 0),
  ArrowUp: (hands) => hands.turn(0, PER_KEY),
  ArrowDown: (hands) => hands.turn(0, -PER_KEY),
  "+": (hands) => hands.zoom(1 / PER_ZOOM_KEY),
  "=": (hands) => hands.zoom(1 / PER_ZOOM_KEY),
  "-": (hands) => hands.zoom(PER_ZOOM_KEY),
};

class Pointers {
  #canvas: HTMLCanvasElement;
  #hands: Hands;
  #down = new Map<number, { x: number; y: number }>();
  #travelled = 0;

  constructor(canvas: HTMLCanvasElement, hands: Hands) {
    this.#canvas = canvas;
    this.#hands = hands;
  }

  #spread(): number {
    const [a, b] = [...this.#down.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  pressed(event: PointerEvent): void {
    if (event.button !== 0) return;
    if (!this.#down.size) this.#travelled = 0;
    this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#canvas.setPointerCapture(event.pointerId);
  }

  moved(event: PointerEvent): void {
    const at = this.#down.get(event.pointerId);
    if (!at) {
      const over = event.pointerType === "mouse" && this.#hands.hover(event.offsetX, event.offsetY);
      this.#canvas.classList.toggle("over", over);
      return;
    }
    const [dx, dy] = [event.clientX - at.x, event.clientY - at.y];
    const before = this.#spread();
    this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#travelled += Math.hypot(dx, dy);
    if (this.#down.size > 1) {
      const after = this.#spread();
      if (before && after) this.#hands.zoom(before / after);
    } else if (this.#travelled > TREMBLE) {
      // A finger that moves up or down scrolls the page: only its way to the side reaches the room.
      this.#hands.turn(-dx * PER_PIXEL, event.pointerType === "touch" ? 0 : dy * PER_PIXEL);
    }
  }

  released(event: PointerEvent): void {
    const one = this.#down.size === 1 && this.#down.has(event.pointerId);
    this.#down.delete(event.pointerId);
    if (one && event.type === "pointerup" && this.#travelled <= TREMBLE) this.#hands.pick(event.offsetX, event.offsetY);
  }
}

/** Listens until the function that comes back is called. */
export function listen(canvas: HTMLCanvasElement, hands: Hands): () => void {
  const pointers = new Pointers(canvas, hands);
  const gone = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    kind: K,
    run: (event: HTMLElementEventMap[K]) => void,
    passive = true,
  ) => canvas.addEventListener(kind, run, { signal: gone.signal, passive });
  on("pointerdown", (event) => pointers.pressed(event));
  on("pointermove", (event) => pointers.moved(event));
  for (const end of ["pointerup", "pointercancel"] as const) on(end, (event) => pointers.released(event));
  on(
    "keydown",
    (event) => {
      const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
      if (!run) return;
      event.preventDefault();
      run(hands);
    },
    false,
  );
  // A wheel over the room scrolls the page, unless the room was clicked into or Ctrl says that zooming is meant.
  on(
    "wheel",
    (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      hands.zoom(Math.exp(Math.max(-0.25, Math.min(0.25, event.deltaY * 0.0015))));
    },
    false,
  );
  return () => gone.abort();
}
