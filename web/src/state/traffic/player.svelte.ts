import type { Step, TrafficQuestion } from "../../api/traffic.ts";
import { createAsker, post } from "../../api/client.ts";
import { POLICIES } from "./question.ts";
import { view } from "./view.svelte.ts";

/** Where motion is to be reduced, time goes on in steps of this length instead of smoothly. */
const STILL_MS = 500;
/** The moment is kept out of the last tenth of what is seen. */
const TURN = 0.9;

export type Move = "here" | "next" | "previous";

interface Asked {
  question: TrafficQuestion;
  scheduler: number;
  at_s: number;
  move: Move;
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Goes through simulated time: plays it, or steps from one iteration of a policy to the next. */
class Player {
  playing = $state(false);
  /** The iteration at the moment that is looked at, once it was stepped to. */
  step = $state.raw<Step | null>(null);
  /** Nothing before the first, nothing after the last. */
  end = $state<Move | null>(null);

  #frame = 0;
  #last = 0;
  #ask = createAsker<Asked, Step>(({ question, ...asked }, signal) =>
    post("/api/compare/step", JSON.stringify({ ...question, ...asked }), signal),
  );

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    const { at, whole } = view;
    if (at === null || at >= whole.end) view.seek(whole.start);
    this.step = null;
    this.end = null;
    this.playing = true;
    this.#last = performance.now();
    this.#frame = requestAnimationFrame((now) => this.#go(now));
  }

  pause(): void {
    cancelAnimationFrame(this.#frame);
    this.playing = false;
  }

  /** To a moment by hand, which ends playing. */
  seek(at: number): void {
    this.pause();
    this.step = null;
    this.end = null;
    view.seek(at);
  }

  async move(question: TrafficQuestion, move: Move): Promise<void> {
    this.pause();
    const scheduler = POLICIES.indexOf(view.policy);
    const at_s = this.step?.start_s ?? view.at ?? view.range.start;
    const outcome = await this.#ask({ question, scheduler, at_s, move: this.step ? move : "here" });
    if (outcome.kind !== "answer") return;
    this.end = outcome.answer.row === null ? move : null;
    if (outcome.answer.start_s === null) return;
    this.step = outcome.answer;
    view.seek(outcome.answer.start_s);
  }

  #go(now: number): void {
    if (!this.playing) return;
    this.#frame = requestAnimationFrame((next) => this.#go(next));
    if (calm.matches && now - this.#last < STILL_MS) return;
    // A page that was hidden goes on from where it was, and does not make up for it.
    const passed = Math.min(now - this.#last, STILL_MS * 2) / 1000;
    this.#last = now;
    const at = (view.at ?? 0) + passed * view.speed;
    if (at >= view.whole.end) this.pause();
    view.at = Math.min(at, view.whole.end);
    const { start, end } = view.range;
    if (at < start || at > start + TURN * (end - start)) if (view.zoomed) view.slide(at - (1 - TURN) * (end - start));
  }
}

export const player = new Player();
