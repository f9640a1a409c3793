import { askEstimate, askExplanation, createAsker } from "../api/client.ts";
import type { Estimate, Explanation } from "../api/types.ts";
import type { Known } from "./codec.ts";
import { decode, encode, isLink } from "./codec.ts";
import type { Config, Question } from "./config.ts";
import { BASELINE_KEY, forget, recall, remember } from "./storage.ts";

type ToQuestion = (config: Config) => Question;

/** The answer everything is compared with, kept as its configuration: figures are always asked for again. */
export class Baseline {
  config = $state.raw<Config | null>(null);
  estimate = $state.raw<Estimate | null>(null);
  explanation = $state.raw<Explanation | null>(null);

  #askEstimate = createAsker(askEstimate);
  #askExplanation = createAsker(askExplanation);

  constructor(private readonly toQuestion: ToQuestion) {}

  /** With the answer at hand nothing is asked; without it, the baseline appears when its answer comes. */
  async pin(config: Config, estimate: Estimate | null = null): Promise<void> {
    this.config = config;
    this.estimate = estimate;
    this.explanation = null;
    remember(BASELINE_KEY, encode(config));
    if (estimate) return;
    const outcome = await this.#askEstimate(this.toQuestion(config));
    if (this.config !== config) return;
    if (outcome.kind === "answer") this.estimate = outcome.answer;
    if (outcome.kind === "refused") this.unpin();
  }

  unpin(): void {
    this.config = null;
    this.estimate = null;
    this.explanation = null;
    forget(BASELINE_KEY);
  }

  /** Brings back what was pinned at the last visit; what cannot be read in full is no baseline. */
  async restore(known: Known): Promise<void> {
    const text = recall(BASELINE_KEY);
    if (!text || !isLink(text)) return;
    const { config, ignored } = decode(text, known);
    if (ignored.length) forget(BASELINE_KEY);
    else await this.pin(config);
  }

  /** Asks why the current answer differs. */
  async follow(config: Config): Promise<void> {
    const pinned = this.config;
    if (!pinned) return;
    const outcome = await this.#askExplanation({ before: this.toQuestion(pinned), after: this.toQuestion(config) });
    if (outcome.kind === "superseded" || this.config !== pinned) return;
    this.explanation = outcome.kind === "answer" ? outcome.answer : null;
  }
}
