/** The API's own types, as an answer carries them: every field is there. Units are base SI, as everywhere. */
import type { components } from "./schema.d.ts";

type Schemas = components["schemas"];

/** Fields with a default are optional in a request and always present in an answer. */
export type Answered<T> = T extends readonly (infer U)[]
  ? Answered<U>[]
  : T extends object
    ? { [K in keyof T]-?: Answered<Exclude<T[K], undefined>> }
    : T;

export type Bound = "compute" | "memory";
export type Bottleneck = Bound | "communication" | "overhead";

export type Stage = Omit<Answered<Schemas["Stage"]>, "bound"> & { bound: Bound | null };
export type Phase = Omit<Answered<Schemas["Phase"]>, "linear" | "attention" | "bottleneck"> & {
  linear: Stage;
  attention: Stage;
  bottleneck: Bottleneck | null;
};
export type Estimate = Omit<Answered<Schemas["Estimate"]>, "prefill" | "decode"> & {
  prefill: Phase | null;
  decode: Phase | null;
};
export type Memory = Estimate["memory"];
export type Deployment = Estimate["deployment"];

/** Rows of the catalogue. */
export type Model = Answered<Schemas["ModelRow"]>;
export type Accelerator = Answered<Schemas["AcceleratorRow"]>;

/** What was understood of a model, group by group. */
export type ModelAnswer = Answered<Schemas["ModelAnswer"]>;
export type Anatomy = ModelAnswer["understood"];
export type GroupAnatomy = Anatomy["groups"][number];

/** One group of layers as the deployment of an answer holds it. */
export type LayerGroup = Deployment["model"]["groups"][number];

/** One entry of a refusal's `detail`: the dotted path of the request body, and a sentence. */
export type Problem = Schemas["Problem"];

/** Figures for each value of the swept field, in its order; null where there is none. */
export type Sweep = Answered<Schemas["Sweep"]>;

/** Why one estimate differs from another. */
export type Explanation = Answered<Schemas["Explanation"]>;
export type PhaseChange = NonNullable<Explanation["prefill"]>;

/** What a start of an inference engine leaves for its KV cache, and the command that starts it. */
export type EngineMemory = Answered<Schemas["EngineMemory"]>;
export type CommandLine = Answered<Schemas["CommandLine"]>;

/** What a start-up log or a command was understood to say. */
export type Reading = Answered<Schemas["Reading"]>;
