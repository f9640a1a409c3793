/** What an engine does with a device's memory, in words. */
import type { EngineMemory, Reading } from "../api/types.ts";
import type { EnginePart } from "../charts/enginebar.ts";
import type { Config } from "../state/config.ts";
import { DEFAULTS, DEGREES } from "../state/config.ts";
import { binary, count, percent, plural, text } from "../ui/format.ts";

export const ENGINE_NAMES: Record<string, string> = {
  vllm: "vLLM",
  sglang: "SGLang",
  "tensorrt-llm": "TensorRT-LLM",
  "llama.cpp": "llama.cpp",
};

export const ENGINE_PARTS: Record<EnginePart, string> = {
  weights: "Weights",
  activation: "Activation peak",
  graphs: "CUDA graphs",
  other: "Other",
  cache: "KV cache",
  beyond: "Beyond the budget",
  kept: "Kept free",
};

/** Colour and pattern of each part, out of the memory family. */
export const ENGINE_FILLS: Record<EnginePart, string> = {
  weights: "weights",
  activation: "workspace",
  graphs: "graphs",
  other: "reserve",
  cache: "kv_cache",
  beyond: "graphs",
  kept: "free",
};

export const gib = (bytes: number): string => text(binary(bytes));

/** How many requests of the longest context the cache holds, as engines log it. */
export const atOnce = (memory: EngineMemory): string => count(Number(memory.max_concurrency.toFixed(2)));

/** A change that a remedy makes, as the studio takes it; null where no control does. */
export function asValues(change: { field: string; value: unknown } | null): Partial<Config> | null {
  if (!change) return null;
  const field = change.field.replace(/^deployment\./, "");
  if (field === "tensor_parallel" && !DEGREES.includes(Number(change.value))) return null;
  return { [field]: change.value } as Partial<Config>;
}

/** What the button of such a change says. */
export function changeLabel({ field, value }: { field: string; value: unknown }): string {
  const number = Number(value);
  const labels: Record<string, string> = {
    gpu_memory_utilization: `Utilisation ${text(percent(number))}`,
    max_model_len: `Context ${count(number)}`,
    max_num_batched_tokens: `Pass of ${count(number)}`,
    max_num_seqs: plural(number, "sequence"),
    enforce_eager: value ? "No CUDA graphs" : "With CUDA graphs",
    "deployment.kv_cache": `KV cache ${value}`,
    "deployment.weights": `Weights ${value}`,
    "deployment.tensor_parallel": plural(number, "device"),
  };
  return labels[field] ?? `${field} ${value}`;
}

/** A fragment as a sentence; a setting or a flag at its beginning stays as it is written. */
export function sentence(words: string): string {
  const written = /^(-|\w*_)/.test(words);
  const whole = written ? words : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** What the command line says of its flags means nothing here: the studio's controls are at hand. */
export const withoutFlag = (words: string): string => words.replace(/: give --(model|accelerator)\b.*$/s, "");

export const READING = {
  title: "Paste a start-up log or a command",
  lead: "A log of vLLM, SGLang or llama.cpp, a command, a compose file, a manifest or Helm values: pasted, chosen or dropped anywhere on the page. The server on this machine reads it; nothing of it is run, kept or sent elsewhere.",
  text: "Log or command",
  file: "Choose a log",
  asking: "Reading …",
  cut: "Only the beginning of the text was read.",
  takeOver: "Take this over into the studio",
  taken: "Taken over: the studio shows this deployment.",
  clear: "Clear",
} as const;

export const KINDS: Record<string, string> = {
  log: "Start-up log",
  command: "Command",
  compose: "Compose file",
  kubernetes: "Kubernetes manifest",
  values: "Helm values",
};

export const LINES: Record<string, string> = {
  device_memory_bytes: "Device memory",
  budget_bytes: "May be used",
  weights_bytes: "Weights",
  activation_bytes: "Activation peak",
  graph_bytes: "CUDA graphs",
  other_bytes: "Other",
  kv_cache_bytes: "KV cache",
  kv_tokens: "Tokens",
  kv_blocks: "Blocks",
  max_concurrency: "Requests at once",
};

type Line = Reading["lines"][number];

export function lineValue(value: number | null, unit: Line["unit"]): string {
  if (value === null) return "—";
  if (unit === "B") return gib(value);
  return unit === "×" ? `${count(Number(value.toFixed(2)))}\u00a0×` : count(Math.round(value));
}

/** How far the reported figure is from the predicted one. */
export function difference(line: Line): string {
  const fraction = line.difference_fraction;
  if (fraction === null) return "—";
  const per = Math.abs(100 * fraction).toFixed(1);
  const sign = per === "0.0" ? "" : fraction > 0 ? "+" : "−";
  return `${sign}${per}\u00a0%`;
}

/** What was recovered, as the studio's settings; only what the text says and the page has a control for. */
export function recoveredValues(reading: Reading): Partial<Config> {
  const said = Object.entries(reading.recovered).filter(([name, value]) => name in DEFAULTS && value !== null);
  const values = Object.fromEntries(said) as Partial<Config>;
  if (values.tensor_parallel !== undefined && !DEGREES.includes(values.tensor_parallel)) delete values.tensor_parallel;
  return values;
}
