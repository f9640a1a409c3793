import { askSplits, askSweep, createAsker } from "../api/client.ts";
import type { SweepQuestion } from "../api/client.ts";
import type { Estimate, Sweep } from "../api/types.ts";
import { batchStops } from "../charts/batches.ts";
import type { Question } from "./config.ts";

/** The same question for another degree, with its answer where there is one. */
export interface Split {
  degree: number;
  estimate: Estimate | null;
}

const SUPERSEDED = Symbol("superseded");

/** What the charts show beside the answer itself: the same question for other batches and other degrees. */
export class Charts {
  sweep = $state.raw<Sweep | null>(null);
  splits = $state.raw<readonly Split[]>([]);
  /** Grows with every estimate that was followed to its end: charts and tiles then say the same. */
  followed = $state.raw<Estimate | null>(null);

  #askSweep = createAsker(askSweep);
  #askSplits = createAsker(askSplits);
  #swept = "";
  #answered: Sweep | null = null;

  /** Both answers are awaited before either is shown, so that the charts are drawn once. */
  async follow(question: Question, estimate: Estimate): Promise<void> {
    const [sweep, splits] = await Promise.all([this.#sweepOf(question, estimate), this.#splitsOf(question)]);
    if (sweep === SUPERSEDED || splits === SUPERSEDED) return;
    this.sweep = sweep;
    this.splits = splits;
    this.followed = estimate;
  }

  /** The sweep leaves the batch open, so that moving through it asks nothing. */
  async #sweepOf(question: Question, estimate: Estimate): Promise<Sweep | null | typeof SUPERSEDED> {
    const workload = { ...question.workload, batch: 1 };
    const values = batchStops(estimate.would_fit.batch);
    const asked: SweepQuestion = { deployment: question.deployment, workload, field: "batch", values };
    const key = JSON.stringify(asked);
    if (key === this.#swept) return this.#answered;
    const outcome = await this.#askSweep(asked);
    if (outcome.kind === "superseded") return SUPERSEDED;
    this.#answered = outcome.kind === "answer" ? outcome.answer : null;
    this.#swept = outcome.kind === "answer" ? key : "";
    return this.#answered;
  }

  async #splitsOf(question: Question): Promise<readonly Split[] | typeof SUPERSEDED> {
    const outcome = await this.#askSplits(question);
    if (outcome.kind === "superseded") return SUPERSEDED;
    const estimates = outcome.kind === "answer" ? outcome.answer.estimates : [];
    return estimates.map((estimate) => ({ degree: estimate.deployment.tensor_parallel, estimate }));
  }
}
