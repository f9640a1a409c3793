import type { Question } from "../state/config.ts";
import type {
  Accelerator,
  CommandLine,
  EngineMemory,
  Estimate,
  Explanation,
  Model,
  ModelAnswer,
  Problem,
  Reading,
  Sweep,
} from "./types.ts";

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

export async function getJson(path: string): Promise<unknown> {
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

export async function readProblems(response: Response): Promise<Problem[]> {
  const body = (await response.json()) as { detail?: unknown };
  return Array.isArray(body.detail) ? body.detail.filter(isProblem) : [];
}

export async function outcomeOf<Answer>(response: Response): Promise<Outcome<Answer>> {
  if (response.ok) return { kind: "answer", answer: (await response.json()) as Answer };
  if (response.status >= 500) return { kind: "unreachable" };
  const problems = await readProblems(response);
  return problems.length ? { kind: "refused", problems } : { kind: "unreachable" };
}

export function send(path: string, body: string, signal: AbortSignal): Promise<Response> {
  return fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body, signal });
}

export async function post<Answer>(path: string, body: string, signal: AbortSignal): Promise<Outcome<Answer>> {
  return outcomeOf(await send(path, body, signal));
}

/** Sends a question to one route of the API. */
function poster<Asked, Answer>(path: string): Send<Asked, Answer> {
  return (asked, signal) => post(path, JSON.stringify(asked), signal);
}

export interface SweepQuestion extends Question {
  field: "batch" | "prompt_tokens" | "output_tokens";
  values: readonly number[];
}

export const askEstimate = poster<Question, Estimate>("/api/estimate");
export const askSweep = poster<SweepQuestion, Sweep>("/api/sweep");
export const askSplits = poster<Question, { estimates: Estimate[] }>("/api/splits");
export const askExplanation = poster<{ before: Question; after: Question }, Explanation>("/api/explain");

export interface ReadQuestion {
  text: string;
  /** In place of the one that the text names, or where it names none. */
  accelerator?: unknown;
}

export const askMemory = poster<Record<string, unknown>, EngineMemory>("/api/memory");
export const askCommand = poster<Record<string, unknown>, CommandLine>("/api/command");
export const askReading = poster<ReadQuestion, Reading>("/api/read");

/** What is understood of a text, which goes to the API as it is: there JSON is read less strictly than here. */
export const askText: Send<string, ModelAnswer> = (text, signal) => post("/api/model", text, signal);

/** What is understood of a model: a catalogue id, or the fields of one's own. */
export const askModel: Send<string | object, ModelAnswer> = async (model, signal) =>
  typeof model === "string"
    ? outcomeOf(await fetch(`/api/models/${encodeURIComponent(model)}`, { signal }))
    : post("/api/model", JSON.stringify(model), signal);

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
