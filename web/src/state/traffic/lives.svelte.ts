import type { RequestLife, TrafficQuestion } from "../../api/traffic.ts";
import { createAsker, post } from "../../api/client.ts";
import type { Outcome } from "../../api/client.ts";

/** Pointing at one request after another asks only about the one that is stayed at. */
const PAUSE_MS = 50;

interface Asked {
  question: TrafficQuestion;
  request: number;
}

/** Under each scheduler in turn; null where it was refused. */
export type Life = RequestLife | null;

async function askAll({ question, request }: Asked, signal: AbortSignal): Promise<Outcome<Life[]>> {
  const outcomes = await Promise.all(
    question.schedulers.map((_, scheduler) =>
      post<RequestLife>("/api/compare/request", JSON.stringify({ ...question, scheduler, request }), signal),
    ),
  );
  if (outcomes.some(({ kind }) => kind === "unreachable")) return { kind: "unreachable" };
  return { kind: "answer", answer: outcomes.map((outcome) => (outcome.kind === "answer" ? outcome.answer : null)) };
}

/** The life of the request that is pointed at or chosen, under every policy. */
export class LivesOf {
  request = $state<number | null>(null);
  shown = $state.raw<readonly Life[]>([]);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #ask = createAsker(askAll);

  follow(question: TrafficQuestion, request: number | null): void {
    clearTimeout(this.#timer);
    if (request === null) {
      this.request = null;
      this.shown = [];
      return;
    }
    this.#timer = setTimeout(() => void this.#fetch({ question, request }), PAUSE_MS);
  }

  async #fetch(asked: Asked): Promise<void> {
    const outcome = await this.#ask(asked);
    if (outcome.kind !== "answer") return;
    this.request = asked.request;
    this.shown = outcome.answer;
  }
}
