import type { Walk, WalkPass } from "../../api/room.ts";
import { motion } from "./motion.svelte.ts";

const PASS_MS = 900;

/** Goes through the passes of one batch: played, stepped by hand, or, where motion is to be spared, at its end at once. */
export class Walker {
  walk = $state.raw<Walk | null>(null);
  /** The pass that is shown; null where none is. */
  at = $state<number | null>(null);
  /** The requests are over, and what they held is given back. */
  released = $state(false);
  #timer = $state<ReturnType<typeof setInterval> | undefined>();

  get last(): number {
    return (this.walk?.passes.length ?? 0) - 1;
  }

  get pass(): WalkPass | null {
    return (this.at !== null && this.walk?.passes[this.at]) || null;
  }

  get playing(): boolean {
    return this.#timer !== undefined;
  }

  get over(): boolean {
    return this.at === this.last;
  }

  /** Other passes: nothing of the old ones is shown. */
  take(walk: Walk | null): void {
    this.stop();
    this.walk = walk;
    this.at = null;
    this.released = false;
  }

  /** From the prefill to the last pass. */
  run(): void {
    if (this.last < 0) return;
    this.#to(0);
    if (motion.moving) this.play();
    else this.#to(this.last);
  }

  play(): void {
    if (this.over) this.#to(0);
    this.stop();
    this.#timer = setInterval(() => this.#go(), PASS_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  step(by: number): void {
    this.stop();
    this.#to((this.at ?? 0) + by);
  }

  /** The next stretch of decode; without a run under way, the first after the prefill. */
  generate(): void {
    this.stop();
    this.#to((this.released ? 0 : (this.at ?? 0)) + 1);
  }

  release(): void {
    this.stop();
    this.at = null;
    this.released = true;
  }

  #go(): void {
    this.#to((this.at ?? -1) + 1);
    if (this.over) this.stop();
  }

  #to(at: number): void {
    this.released = false;
    this.at = this.last < 0 ? null : Math.min(Math.max(at, 0), this.last);
  }
}
