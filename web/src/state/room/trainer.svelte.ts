import { askTraining } from "../../api/room.ts";
import type { TrainingAnswer, TrainingQuestion } from "../../api/room.ts";
import { createAsker } from "../../api/client.ts";
import { lastStage, placeOf, STAGES } from "./rounds.ts";
import { ROUNDS } from "./training.ts";

const STAGE_MS = 700;

/** Goes through training of one weight, stage by stage. */
export class Trainer {
  answer = $state.raw<TrainingAnswer | null>(null);
  weight = $state(0);
  /** How many stages are over. */
  done = $state(0);
  failed = $state(false);
  #timer = $state<ReturnType<typeof setInterval> | undefined>();
  #answered = "";
  #ask = createAsker(askTraining);

  get rounds(): number {
    return this.answer?.steps.length ?? ROUNDS;
  }

  get place(): ReturnType<typeof placeOf> {
    return placeOf(this.done, this.rounds);
  }

  get over(): boolean {
    return this.done >= lastStage(this.rounds);
  }

  get playing(): boolean {
    return this.#timer !== undefined;
  }

  /** Asks for the rounds from the weight as it is, and for the memory of this model on this device. */
  async ask(model: unknown, accelerator: unknown): Promise<void> {
    const asked: TrainingQuestion = { model, accelerator, start_weight: this.weight, rounds: ROUNDS };
    const key = JSON.stringify(asked);
    if (key === this.#answered) return;
    const outcome = await this.#ask(asked);
    if (outcome.kind === "superseded") return;
    this.failed = outcome.kind !== "answer";
    this.#answered = this.failed ? "" : key;
    if (outcome.kind === "answer") this.answer = outcome.answer;
  }

  step(by: number): void {
    this.stop();
    this.#to(this.done + by);
  }

  /** To the end of the round; from there to the end of the next. */
  round(): void {
    this.stop();
    const { round, stage } = this.place;
    this.#to((round + (stage === "update" ? 2 : 1)) * STAGES.length - 1);
  }

  finish(): void {
    this.stop();
    this.#to(lastStage(this.rounds));
  }

  restart(): void {
    this.stop();
    this.done = 0;
  }

  toggle(): void {
    if (this.playing) return this.stop();
    if (this.over) this.done = 0;
    this.#timer = setInterval(() => {
      this.#to(this.done + 1);
      if (this.over) this.stop();
    }, STAGE_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #to(done: number): void {
    this.done = Math.min(Math.max(done, 0), lastStage(this.rounds));
  }
}
