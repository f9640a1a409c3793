import type { TrafficQuestion, Window } from "../../api/traffic.ts";
import { createAsker, post } from "../../api/client.ts";
import type { Range } from "../../charts/traffic/time.ts";
import { contains, withMargin } from "../../charts/traffic/time.ts";

/** Moves come in quick succession; the server is asked once they pause this long. */
const PAUSE_MS = 60;
/** A window this much wider than what is seen of it has too little detail left. */
const COARSE = 3.5;
const BINS = 600;

interface Asked {
  question: TrafficQuestion;
  range: Range;
}

/** The stretch that is looked at, closer than the whole run shows it: asked for as one zooms and pans. */
export class Windows {
  /** The last stretch that was fetched. */
  detail = $state.raw<Window | null>(null);
  /** Grows with each answer that did not come. */
  failures = $state(0);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #ask = createAsker<Asked, Window>(({ question, range }, signal) => {
    const window = { start_s: range.start, end_s: range.end };
    return post("/api/compare/window", JSON.stringify({ ...question, window, bins: BINS, rows: 2_000 }), signal);
  });

  /** The question changed: what was fetched says nothing of its answer. */
  forget(): void {
    clearTimeout(this.#timer);
    this.detail = null;
  }

  /** The window to draw a range from: the closest that holds all of it. */
  best(range: Range, whole: Window): Window {
    const { detail } = this;
    return detail && contains({ start: detail.start_s, end: detail.end_s }, range) ? detail : whole;
  }

  follow(question: TrafficQuestion, range: Range, whole: Window): void {
    clearTimeout(this.#timer);
    const drawn = this.best(range, whole);
    if (drawn.end_s - drawn.start_s <= COARSE * (range.end - range.start)) return;
    const end = Math.max(whole.end_s, range.end);
    const wanted = withMargin(range, { start: 0, end });
    this.#timer = setTimeout(() => void this.#fetch({ question, range: wanted }), PAUSE_MS);
  }

  async #fetch(asked: Asked): Promise<void> {
    const outcome = await this.#ask(asked);
    if (outcome.kind === "answer") this.detail = outcome.answer;
    else if (outcome.kind !== "superseded") this.failures += 1;
  }
}
