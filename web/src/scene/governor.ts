/** When a frame of the room may be drawn. It knows neither canvas nor browser: time comes from outside. */

export interface Clock {
  now(): number;
  /** Calls back with the next frame of the screen. */
  frame(run: () => void): () => void;
  later(run: () => void, ms: number): () => void;
}

/** Every second frame of a 60 Hz screen: enough for a walk, and half the work. */
export const CALM_MS = 30;
/** While answers are awaited or a control moves the page needs the processor more than the room does. */
export const BUSY_MS = 200;
/** How long a moved control keeps the room back. */
export const TOUCH_MS = 250;
/** A pause is not a leap: what moves goes on from where it was. */
const LONGEST_STEP_MS = 250;
/** Below this the next frame of the screen is waited for, not a timer. */
const FRAME_MS = 17;

/** drawn: nothing is due; drawing: a frame will come; paused: one is due, but nobody sees it. */
export type Phase = "drawn" | "drawing" | "paused";

interface Driven {
  /** Draws, `elapsed` ms after the frame before it; true where something goes on moving. */
  draw(elapsed: number): boolean;
  onPhase?(phase: Phase): void;
}

/** Draws only on change: nothing due, hidden or scrolled away means no frame at all. */
export class Governor {
  /** Frames drawn. */
  frames = 0;
  #driven: Driven;
  #clock: Clock;
  #due = false;
  #moving = false;
  #asking = false;
  #shown = true;
  #near = true;
  #touchedAt = -Infinity;
  #drawnAt = -Infinity;
  #phase: Phase = "drawn";
  #cancel: (() => void) | null = null;

  constructor(driven: Driven, clock: Clock) {
    this.#driven = driven;
    this.#clock = clock;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Least time between two frames at this moment. */
  get interval(): number {
    const busy = this.#asking || this.#clock.now() - this.#touchedAt < TOUCH_MS;
    return busy ? BUSY_MS : CALM_MS;
  }

  /** Something changed: one frame is due. */
  invalidate(): void {
    this.#due = true;
    this.#schedule();
  }

  /** A request is under way, or none is any more. */
  asking(on: boolean): void {
    if (this.#asking === on) return;
    this.#asking = on;
    this.#schedule();
  }

  /** A control of the page moved. */
  touched(): void {
    this.#touchedAt = this.#clock.now();
    this.#schedule();
  }

  /** Whether the page is shown, and whether the room is within what is seen of it. */
  seen(of: { shown?: boolean; near?: boolean }): void {
    this.#shown = of.shown ?? this.#shown;
    this.#near = of.near ?? this.#near;
    this.#schedule();
  }

  dispose(): void {
    this.#due = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  #schedule(): void {
    this.#cancel?.();
    this.#cancel = null;
    const visible = this.#shown && this.#near;
    this.#tell(!this.#due ? "drawn" : visible ? "drawing" : "paused");
    if (!this.#due || !visible) return;
    const wait = this.#drawnAt + this.interval - this.#clock.now();
    this.#cancel =
      wait > FRAME_MS
        ? this.#clock.later(() => this.#schedule(), wait - FRAME_MS / 2)
        : this.#clock.frame(() => this.#tick());
  }

  #tick(): void {
    const now = this.#clock.now();
    if (now - this.#drawnAt < this.interval) return this.#schedule();
    const elapsed = this.#moving ? Math.min(now - this.#drawnAt, LONGEST_STEP_MS) : 0;
    this.#due = false;
    this.#drawnAt = now;
    this.frames += 1;
    this.#moving = this.#driven.draw(elapsed);
    this.#due ||= this.#moving;
    this.#schedule();
  }

  #tell(phase: Phase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#driven.onPhase?.(phase);
  }
}

export const browserClock: Clock = {
  now: () => performance.now(),
  frame: (run) => {
    const id = requestAnimationFrame(run);
    return () => cancelAnimationFrame(id);
  },
  later: (run, ms) => {
    const id = setTimeout(run, ms);
    return () => clearTimeout(id);
  },
};
