/** How well the room is drawn: one step down whenever frames come too slowly for a while. Pure. */

export interface Level {
  shadows: boolean;
  /** Share of the full pixel ratio while something moves; what stands still is always drawn in full. */
  ratio: number;
  motion: boolean;
}

export const LEVELS: readonly Level[] = [
  { shadows: true, ratio: 1, motion: true },
  { shadows: false, ratio: 1, motion: true },
  { shadows: false, ratio: 0.75, motion: true },
  { shadows: false, ratio: 0.5, motion: true },
  { shadows: false, ratio: 0.5, motion: false },
];

/** Frames that are looked at together, and how long each may take on average. */
const WINDOW = 10;
const SLOW_MS = 38;
/** Without motion nothing is fluent any more, so it goes last and only when it is of no use. */
const HOPELESS_MS = 125;

export class Quality {
  #level = 0;
  #sum = 0;
  #count = 0;

  get level(): Level {
    return LEVELS[this.#level]!;
  }

  /** The time from one frame to the next while something moves; true when that was a step down. */
  note(ms: number): boolean {
    this.#sum += ms;
    this.#count += 1;
    if (this.#count < WINDOW) return false;
    const mean = this.#sum / this.#count;
    this.#sum = this.#count = 0;
    const next = LEVELS[this.#level + 1];
    if (!next || mean <= (next.motion ? SLOW_MS : HOPELESS_MS)) return false;
    // Far too slow: one step would not do, but motion is never skipped over.
    const steps = mean > 2 * SLOW_MS && LEVELS[this.#level + 2]?.motion ? 2 : 1;
    this.#level += steps;
    return true;
  }
}
