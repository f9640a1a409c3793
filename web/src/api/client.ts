import type { Question } from "../state/config.ts";
import type { Accelerator, Estimate, Explanation, Model, Problem, Sweep } from "./types.ts";

export type Outcome<Answer = Estimate> =
  | { kind: "answer"; answer: Answer }
  | { kind: "refused"; problems: Problem[] }
  | { kind: "unreachable" }
  | { kind: "superseded" };

type Send<Asked, Answer> = (asked: Asked, signal: AbortSignal) => Promise<Outcome<Answer>>;

export interface Catalogue {
  models: Model[];
  accelerators: Accelerator[];
}

async function getJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}

export async function fetchCatalogue(): Promise<Catalogue> {
  const [models, accelerators] = await Promise.all([getJson("/api/models"), getJson("/api/accelerators")]);
  return {
    models: (models as { models: Model[] }).models,
    accelerators: (accelerators as { accelerators: Accelerator[] }).accelerators,
  };
}

function isProblem(value: unknown): value is Problem {
  const problem = value as Partial<Problem> | null;
  return typeof problem?.field === "string" && typeof problem.message === "string";
}

async function readProblems(response: Response): Promise<Problem[]> {
  const body = (await response.json()) as { detail?: unknown };
  return Array.isArray(body.detail) ? body.detail.filter(isProblem) : [];
}

/** Sends a question to one route of the API. */
function poster<Asked, Answer>(path: string): Send<Asked, Answer> {
  return async (asked, signal) => {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(asked),
      signal,
    });
    if (response.ok) return { kind: "answer", answer: (await response.json()) as Answer };
    if (response.status >= 500) return { kind: "unreachable" };
    const problems = await readProblems(response);
    return problems.length ? { kind: "refused", problems } : { kind: "unreachable" };
  };
}

export interface SweepQuestion extends Question {
  field: "batch" | "prompt_tokens" | "output_tokens";
  values: readonly number[];
}

export const askEstimate = poster<Question, Estimate>("/api/estimate");
export const askSweep = poster<SweepQuestion, Sweep>("/api/sweep");
export const askSplits = poster<Question, { estimates: Estimate[] }>("/api/splits");
export const askExplanation = poster<{ before: Question; after: Question }, Explanation>("/api/explain");

/**
 * Asks so that only the latest question is ever answered: a new question aborts the one under way,
 * and one that was overtaken anyway says so instead of returning its answer.
 */
export function createAsker<Asked, Answer>(send: Send<Asked, Answer>): (asked: Asked) => Promise<Outcome<Answer>> {
  let current: AbortController | null = null;
  return async (asked) => {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    const outcome = await send(asked, mine.signal).catch((): Outcome<Answer> => ({ kind: "unreachable" }));
    return current === mine ? outcome : { kind: "superseded" };
  };
}
