import { askModel, createAsker } from "../api/client.ts";
import type { ModelAnswer } from "../api/types.ts";

/** What is understood of the model in use. It changes with the model only, so an answer is asked for once. */
export class Anatomies {
  shown = $state.raw<ModelAnswer | null>(null);
  /** Nothing could be said of the model in use. */
  failed = $state(false);

  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing on the page follows what was asked before
  #answers = new Map<string, ModelAnswer>();
  #ask = createAsker(askModel);

  /** `model` as the API takes it: a catalogue id, or fields. */
  async follow(model: string | object): Promise<void> {
    const key = typeof model === "string" ? model : JSON.stringify(model);
    const known = this.#answers.get(key);
    if (known && known === this.shown) return;
    const outcome = known ? ({ kind: "answer", answer: known } as const) : await this.#ask(model);
    if (outcome.kind === "superseded") return;
    this.failed = outcome.kind !== "answer";
    this.shown = outcome.kind === "answer" ? outcome.answer : null;
    if (outcome.kind === "answer") this.#answers.set(key, outcome.answer);
  }
}
