import type { Field } from "../state/config.ts";
import { ruleOf } from "../state/config.ts";

/** How a field is spoken of and in which unit it is typed: shown value = base value × 10^exponent. */
export interface Label {
  label: string;
  unit?: string;
  exponent?: number;
  step?: number;
}

export const LABELS: Record<Field, Label> = {
  model: { label: "Model" },
  kv_heads: { label: "KV heads" },
  accelerator: { label: "Accelerator" },
  tensor_parallel: { label: "Tensor parallel degree" },
  weights: { label: "Weights format" },
  kv_cache: { label: "KV cache format" },
  prompt_tokens: { label: "Prompt", unit: "tokens" },
  output_tokens: { label: "Output", unit: "tokens" },
  batch: { label: "Batch", unit: "requests" },
  compute: { label: "Compute format" },
  compute_utilization: { label: "Compute utilisation", unit: "%", exponent: 2, step: 1 },
  bandwidth_utilization: { label: "Bandwidth utilisation", unit: "%", exponent: 2, step: 1 },
  pass_overhead_s: { label: "Overhead per pass", unit: "ms", exponent: 3, step: 0.05 },
  reserve_bytes: { label: "Reserve per device", unit: "GB", exponent: -9, step: 0.5 },
  workspace_buffers: { label: "Workspace buffers", unit: "buffers", step: 1 },
  format_metadata_fraction: { label: "Integer format metadata", unit: "%", exponent: 2, step: 1 },
  link_bytes_per_s: { label: "Link rate, one way", unit: "GB/s", exponent: -9, step: 10 },
  link_utilization: { label: "Link utilisation", unit: "%", exponent: 2, step: 1 },
  all_reduce_latency_s: { label: "All-reduce latency", unit: "µs", exponent: 6, step: 1 },
  free_windows: { label: "Free what left a window" },
  expert_skew: { label: "Skew of the experts", step: 0.1 },
  replicate_kv_heads: { label: "Replicate KV heads" },
  profile: { label: "Step times" },
  engine: { label: "Engine" },
  version: { label: "Engine version" },
  gpu_memory_utilization: { label: "Memory utilisation", unit: "%", exponent: 2, step: 1 },
  max_model_len: { label: "Longest context", unit: "tokens" },
  max_num_batched_tokens: { label: "Tokens of a pass", unit: "tokens" },
  max_num_seqs: { label: "Sequences at once", unit: "sequences" },
  enforce_eager: { label: "Eager mode" },
};

/** Planning assumptions, in the order in which they are shown. */
export const ASSUMPTIONS: readonly Field[] = [
  "profile",
  "compute_utilization",
  "bandwidth_utilization",
  "pass_overhead_s",
  "reserve_bytes",
  "workspace_buffers",
  "format_metadata_fraction",
  "link_bytes_per_s",
  "link_utilization",
  "all_reduce_latency_s",
  "kv_heads",
  "free_windows",
  "expert_skew",
  "compute",
  "replicate_kv_heads",
];

/** Help for the controls that have no description in the API or deserve more than its fragment. */
const HELP: Partial<Record<Field, string>> = {
  profile:
    "Where the time of a pass comes from. Textbook: the datasheet’s rates times the shares assumed below. Calibrated: what the engine was measured to reach, with an interval that says how sure that is.",
  model: "The language model to serve. Type to search by name, publisher or family.",
  gpu_memory_utilization:
    "Share of the device’s memory that the engine may take: vLLM’s gpu_memory_utilization, SGLang’s mem_fraction_static, TensorRT-LLM’s free_gpu_memory_fraction. llama.cpp has none.",
  max_model_len: "Longest context of one request (max_model_len); empty for the model’s own.",
  max_num_batched_tokens: "Tokens of one pass (max_num_batched_tokens); empty for the engine’s default.",
  max_num_seqs: "Requests that run at once (max_num_seqs); empty for the engine’s default.",
  enforce_eager: "Without CUDA graphs (enforce_eager): less memory, slower decoding of small batches.",
  accelerator: "The device it runs on, with the rates of its datasheet. Type to search.",
};

/** What a control is for. The API's descriptions are fragments in its base units; here each is a sentence of its own. */
export function describe(field: Field): string {
  const text = HELP[field] ?? ruleOf(field).description.replace(/, (seconds|bytes\/s|bytes)(?=;|$)/, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/([^.!?])$/, "$1.");
}

/** What is said where a number is expected and none stands there. */
export function notANumber(field: Field): string {
  const { unit } = LABELS[field];
  return unit ? `Give a number, in ${unit}. The last valid value stays in use.` : "Give a number.";
}
