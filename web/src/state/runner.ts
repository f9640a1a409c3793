import type { Outcome } from "../api/client.ts";

/** How long a newer question waits for the answer under way before it takes its place. */
export const PATIENCE_MS = 250;

type Send<Asked, Answer> = (asked: Asked, signal: AbortSignal) => Promise<Outcome<Answer>>;

/**
 * Asks one question at a time and, when its answer is there, the newest of those that came meanwhile: a dragged slider
 * then shows an answer all along, where aborting each for the next would show none until the hand rests. An answer that
 * takes long is not waited for.
 */
export class Runner<Asked, Answer> {
  #current: AbortController | null = null;
  #next: Asked | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sentAt = 0;

  constructor(
    private readonly send: Send<Asked, Answer>,
    private readonly onOutcome: (asked: Asked, outcome: Outcome<Answer>) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get busy(): boolean {
    return this.#current !== null;
  }

  ask(asked: Asked): void {
    this.#next = asked;
    if (!this.#current) return this.#go();
    const left = this.#sentAt + PATIENCE_MS - this.now();
    this.#timer ??= setTimeout(() => this.#go(), Math.max(0, left));
  }

  /** Nobody waits for an answer any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = null;
    this.#current?.abort();
    this.#current = null;
  }

  #go(): void {
    const asked = this.#next;
    this.stop();
    if (asked !== null) void this.#run(asked);
  }

  async #run(asked: Asked): Promise<void> {
    const mine = new AbortController();
    this.#current = mine;
    this.#sentAt = this.now();
    const outcome = await this.send(asked, mine.signal).catch((): Outcome<Answer> => ({ kind: "unreachable" }));
    if (this.#current !== mine) return;
    this.#current = null;
    if (this.#next !== null) this.#go();
    this.onOutcome(asked, outcome);
  }
}
