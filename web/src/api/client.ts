import type { Config } from "../state/config.ts";
import { toRequest } from "../state/config.ts";
import type { Accelerator, Estimate, Model, Problem } from "./types.ts";

export type Outcome =
  | { kind: "answer"; estimate: Estimate }
  | { kind: "refused"; problems: Problem[] }
  | { kind: "unreachable" }
  | { kind: "superseded" };

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

async function post(config: Config, signal: AbortSignal): Promise<Outcome> {
  const response = await fetch("/api/estimate", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(toRequest(config)),
    signal,
  });
  if (response.ok) return { kind: "answer", estimate: (await response.json()) as Estimate };
  if (response.status >= 500) return { kind: "unreachable" };
  const problems = await readProblems(response);
  return problems.length ? { kind: "refused", problems } : { kind: "unreachable" };
}

/**
 * Asks for estimates so that only the latest question is ever answered: a new question aborts the one under way,
 * and one that was overtaken anyway says so instead of returning its answer.
 */
export function createAsker(send: typeof post = post): (config: Config) => Promise<Outcome> {
  let current: AbortController | null = null;
  return async (config) => {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    const outcome = await send(config, mine.signal).catch((): Outcome => ({ kind: "unreachable" }));
    return current === mine ? outcome : { kind: "superseded" };
  };
}
