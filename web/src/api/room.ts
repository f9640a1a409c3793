/** What goes on in the research room: a batch pass by pass, and training of one weight. */
import { post } from "./client.ts";
import type { Outcome } from "./client.ts";
import type { components } from "./schema.d.ts";
import type { Answered, Phase } from "./types.ts";

type Schemas = components["schemas"];

export type WalkPass = Omit<Answered<Schemas["WalkPass"]>, "phase"> & { phase: Phase };
export type Walk = Omit<Answered<Schemas["Walk"]>, "passes"> & { passes: WalkPass[] };

export type TrainingAnswer = Answered<Schemas["TrainingAnswer"]>;
export type TrainingStep = TrainingAnswer["steps"][number];
export type TrainingMemory = TrainingAnswer["memory"];

export interface TrainingQuestion {
  model: unknown;
  accelerator: unknown;
  start_weight: number;
  rounds: number;
}

export function askWalk(asked: object, signal: AbortSignal): Promise<Outcome<Walk>> {
  return post("/api/walk", JSON.stringify(asked), signal);
}

export function askTraining(asked: TrainingQuestion, signal: AbortSignal): Promise<Outcome<TrainingAnswer>> {
  return post("/api/training", JSON.stringify(asked), signal);
}
