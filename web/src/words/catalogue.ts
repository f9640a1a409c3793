import type { Accelerator, Model } from "../api/types.ts";
import type { Kind } from "../state/own.ts";
import { handleOf, ownFields } from "../state/own.ts";
import { bytes, large, text } from "../ui/format.ts";
import type { Option } from "../ui/filter.ts";

export const OWN_GROUP = "Your own";

/** Families whose name is more than its id with a capital letter. */
const FAMILIES: Record<string, string> = {
  "command-r": "Command R",
  deepseek: "DeepSeek",
  glm: "GLM",
  "gpt-oss": "gpt-oss",
  gpt2: "GPT-2",
  gptj: "GPT-J",
  internlm: "InternLM",
  mimo: "MiMo",
  minimax: "MiniMax",
  olmo: "OLMo",
  opt: "OPT",
  smollm: "SmolLM",
  starcoder2: "StarCoder2",
  t5: "T5",
};

function familyName(id: string): string {
  return FAMILIES[id] ?? `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

/** The features by which a model is picked, in a word each. */
const KINDS: readonly (readonly [feature: string, badge: string])[] = [
  ["multi-head-latent-attention", "MLA"],
  ["sliding-window", "windows"],
  ["top-k-sparse-attention", "top-k"],
  ["fixed-state", "state"],
];

export function badges(features: readonly string[]): string[] {
  const first = features.includes("mixture-of-experts") ? "MoE" : "dense";
  return [first, ...KINDS.filter(([feature]) => features.includes(feature)).map(([, badge]) => badge)];
}

function ownOptions(texts: readonly string[], detail: (fields: Record<string, unknown>) => string): Option[] {
  return texts.flatMap((own) => {
    const fields = ownFields(own);
    if (!fields) return [];
    return [{ id: handleOf(own), name: fields.name, detail: detail(fields), group: OWN_GROUP, also: [], badges: [] }];
  });
}

const sized = (value: unknown, how: (value: number) => string) => (typeof value === "number" ? how(value) : "");

export function modelOptions(models: readonly Model[], own: readonly string[]): Option[] {
  const families = new Map<string, Model[]>();
  for (const model of models) families.set(model.family, [...(families.get(model.family) ?? []), model]);
  const listed = [...families].flatMap(([family, members]) =>
    members.map((model) => ({
      id: model.id,
      name: model.name,
      detail: large(model.parameters),
      group: familyName(family),
      also: [model.hugging_face ?? "", family, model.kind, ...model.aliases],
      badges: badges(model.features),
    })),
  );
  return [...ownOptions(own, (fields) => sized(fields["parameters"], large)), ...listed];
}

const memoryOf = (value: number) => text(bytes(value));

/** "80 GB" as one types it. */
function typedMemory(value: number): string {
  const gigabytes = String(Number((value / 1e9).toPrecision(3)));
  return `${gigabytes} gb ${gigabytes}gb`;
}

export function acceleratorOptions(accelerators: readonly Accelerator[], own: readonly string[]): Option[] {
  const listed = accelerators.map((accelerator) => ({
    id: accelerator.id,
    name: accelerator.name,
    detail: memoryOf(accelerator.memory_bytes),
    group: accelerator.vendor,
    also: [String(accelerator.year), accelerator.form ?? "", typedMemory(accelerator.memory_bytes)],
    badges: unrated(accelerator.flop_per_s) ? ["no bf16 or fp16 rate"] : [],
  }));
  return [...ownOptions(own, (fields) => sized(fields["memory_bytes"], memoryOf)), ...listed];
}

/** Whether neither of the rates is known that answer without any other being chosen. */
function unrated(rates: Readonly<Record<string, number | undefined>>): boolean {
  return rates["bf16"] === undefined && rates["fp16"] === undefined;
}

const UNKNOWN: readonly (readonly [field: keyof Accelerator, word: string])[] = [
  ["link_bytes_per_s", "link rate"],
  ["price_usd_per_hour", "price"],
];

/** What is not known of an accelerator and some figure waits for, in words; empty where all is there. */
export function unknownWords(accelerator: Partial<Accelerator>): string {
  const rate = unrated(accelerator.flop_per_s ?? {}) ? ["bf16 or fp16 rate"] : [];
  const rest = UNKNOWN.filter(([field]) => (accelerator[field] ?? null) === null).map(([, word]) => word);
  return [...rate, ...rest].join(", ");
}

/** What a search may hold, shown where one searches. */
export const HINTS: Record<Kind, string> = {
  model: "Try: qwen moe 30b",
  accelerator: "Try: amd 192 gb",
};
