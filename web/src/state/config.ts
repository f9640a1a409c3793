import fields from "../api/fields.json";
import { asReference } from "./own.ts";

/** What the controls hold: one flat record, named as in the API, values in base SI units. */
export interface Config {
  /** A catalogue id, or the fields of one's own as own.ts writes them; likewise the accelerator. */
  model: string;
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
  prompt_tokens: number;
  output_tokens: number;
  batch: number;
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

const RULES: Record<string, Rule> = { ...fields.deployment, ...fields.workload } as Record<string, Rule>;
const WORKLOAD = new Set(Object.keys(fields.workload));

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
];

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
  return `${WORKLOAD.has(field) ? "workload" : "deployment"}.${field}`;
}

export function fieldAt(path: string): Field | null {
  return FIELDS.find((field) => path === pathOf(field) || path.startsWith(`${pathOf(field)}.`)) ?? null;
}

/** What the API is asked: a deployment and a workload. */
export interface Question {
  deployment: Record<string, unknown>;
  workload: Record<string, unknown>;
}

export function toRequest(config: Config): Question {
  const pick = (wanted: boolean) =>
    Object.fromEntries(FIELDS.filter((field) => WORKLOAD.has(field) === wanted).map((field) => [field, config[field]]));
  const own = { model: asReference(config.model), accelerator: asReference(config.accelerator) };
  return { deployment: { ...pick(false), ...own }, workload: pick(true) };
}

export function sameConfig(a: Config, b: Config): boolean {
  return FIELDS.every((field) => a[field] === b[field]);
}
