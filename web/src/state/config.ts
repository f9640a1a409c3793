import fields from "../api/fields.json";
import type { Model, Problem } from "../api/types.ts";
import { withKvHeads } from "./kvheads.ts";
import { asReference, isOwn } from "./own.ts";

/** What the controls hold: one flat record, named as in the API, values in base SI units. */
export interface Config {
  /** A catalogue id, or the fields of one's own as own.ts writes them; likewise the accelerator. */
  model: string;
  /** KV heads in place of the model's own; null keeps those. The page derives the model, the API knows no such field. */
  kv_heads: number | null;
  accelerator: string;
  tensor_parallel: number;
  weights: string | null;
  kv_cache: string;
  compute: string | null;
  compute_utilization: number;
  bandwidth_utilization: number;
  pass_overhead_s: number;
  reserve_bytes: number;
  workspace_buffers: number;
  format_metadata_fraction: number;
  link_bytes_per_s: number | null;
  link_utilization: number;
  all_reduce_latency_s: number;
  free_windows: boolean;
  expert_skew: number;
  replicate_kv_heads: boolean | null;
  /** "textbook", or "auto" for the calibrated profile of the accelerator and the engine. */
  profile: string;
  prompt_tokens: number;
  output_tokens: number;
  batch: number;
  /** How an inference engine is started on the deployment. Estimates depend on which it is where they are calibrated. */
  engine: string;
  version: string | null;
  gpu_memory_utilization: number;
  max_model_len: number | null;
  max_num_batched_tokens: number | null;
  max_num_seqs: number | null;
  enforce_eager: boolean;
}

export type Field = keyof Config;
export type Value = Config[Field];

/** What the API says of a field: the only source of defaults, bounds and descriptions. */
export interface Rule {
  type: "integer" | "number" | "string" | "boolean";
  description: string;
  default?: Value;
  nullable?: boolean;
  options?: string[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

const KV_HEADS: Rule = {
  type: "integer",
  description: "heads that keep keys and values, in place of the model's own; query heads share them",
  nullable: true,
  default: null,
  minimum: 1,
  maximum: 1e15,
};

const RULES = { ...fields.deployment, ...fields.workload, ...fields.engine, kv_heads: KV_HEADS } as Record<
  string,
  Rule
>;
const WORKLOAD = new Set(Object.keys(fields.workload));
const ENGINE = new Set(Object.keys(fields.engine));

/** The working example the page opens on; everything else starts at the API's own default. */
const EXAMPLE = {
  model: "llama-3.1-8b",
  accelerator: "h100-sxm-80gb",
  prompt_tokens: 1024,
  output_tokens: 256,
  batch: 16,
} satisfies Partial<Config>;

/** In the order in which a link spells them. */
export const FIELDS: readonly Field[] = [
  "model",
  "kv_heads",
  "accelerator",
  "tensor_parallel",
  "weights",
  "kv_cache",
  "prompt_tokens",
  "output_tokens",
  "batch",
  "compute",
  "compute_utilization",
  "bandwidth_utilization",
  "pass_overhead_s",
  "reserve_bytes",
  "workspace_buffers",
  "format_metadata_fraction",
  "link_bytes_per_s",
  "link_utilization",
  "all_reduce_latency_s",
  "free_windows",
  "expert_skew",
  "replicate_kv_heads",
  "profile",
  "engine",
  "version",
  "gpu_memory_utilization",
  "max_model_len",
  "max_num_batched_tokens",
  "max_num_seqs",
  "enforce_eager",
];

/** How an engine is started; all other fields make the question of an estimate. */
export const ENGINE_FIELDS: readonly Field[] = FIELDS.filter((field) => ENGINE.has(field));

/** The degrees the page offers; the API says which of them the model allows. */
export const DEGREES: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8];

export function ruleOf(field: Field): Rule {
  return RULES[field] ?? { type: "string", description: "" };
}

export const DEFAULTS: Readonly<Config> = Object.freeze({
  ...(Object.fromEntries(FIELDS.map((field) => [field, ruleOf(field).default ?? null])) as unknown as Config),
  ...EXAMPLE,
});

/** The dotted path of a field in the request body, which is how a refusal names it. */
export function pathOf(field: Field): string {
  if (field === "kv_heads") return "deployment.model.kv_heads";
  if (ENGINE.has(field)) return field;
  return `${WORKLOAD.has(field) ? "workload" : "deployment"}.${field}`;
}

export function fieldAt(path: string): Field | null {
  if (path === "deployment.engine") return "engine";
  const exact = FIELDS.find((field) => path === pathOf(field));
  return exact ?? FIELDS.find((field) => path.startsWith(`${pathOf(field)}.`)) ?? null;
}

/** The control a refusal is about: the KV heads of one's own model are part of that model. */
export function blamed(path: string, { model }: Config): Field | null {
  const field = fieldAt(path);
  return field === "kv_heads" && isOwn(model) ? "model" : field;
}

/** True where nothing but the degree stands in the way. */
export function onlyDegree(problems: Problem[]): boolean {
  return problems.every(({ field }) => fieldAt(field) === "tensor_parallel");
}

/** Whether figures come from what an engine was measured to reach. */
export const isCalibrated = ({ profile }: Config): boolean => profile !== ruleOf("profile").default;

/** The change that has figures come from there, or from the textbook again. */
export const calibrated = (on: boolean): Partial<Config> => ({ profile: on ? "auto" : DEFAULTS.profile });

/** What the API is asked: a deployment and a workload. */
export interface Question {
  deployment: Record<string, unknown>;
  workload: Record<string, unknown>;
}

/** The question a configuration stands for; `models` is where a model with other KV heads is derived from. */
export function toRequest(config: Config, models: readonly Model[] = []): Question {
  const asked = FIELDS.filter((field) => field !== "kv_heads" && !ENGINE.has(field));
  const pick = (wanted: boolean) =>
    Object.fromEntries(asked.filter((field) => WORKLOAD.has(field) === wanted).map((field) => [field, config[field]]));
  const published = models.find(({ id }) => id === config.model);
  const derived = published && config.kv_heads !== null ? withKvHeads(published, config.kv_heads) : null;
  const own = { model: derived ?? asReference(config.model), accelerator: asReference(config.accelerator) };
  const measured = isCalibrated(config) ? { engine: config.engine } : {};
  return { deployment: { ...pick(false), ...own, ...measured }, workload: pick(true) };
}

/** What an engine's memory is asked with: the deployment, and how the engine is started on it. */
export function toStart(config: Config, models: readonly Model[] = []): Record<string, unknown> {
  const { deployment } = toRequest(config, models);
  const start = Object.fromEntries(ENGINE_FIELDS.map((field) => [field, config[field]]));
  return { ...start, deployment: { ...deployment, engine: config.engine } };
}

export function sameConfig(a: Config, b: Config): boolean {
  return FIELDS.every((field) => a[field] === b[field]);
}
