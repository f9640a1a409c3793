import type { Anatomy, Estimate, GroupAnatomy, LayerGroup } from "../api/types.ts";
import { bytes, count, large, plural, text } from "../ui/format.ts";

/** The words of what was understood of a model. */

const FEATURES: Record<string, string> = {
  "layer-groups": "layers of several kinds",
  "mixture-of-experts": "mixture of experts",
  "multi-head-latent-attention": "multi-head latent attention",
  "sliding-window": "sliding windows",
  "top-k-sparse-attention": "top-k sparse attention",
  "fixed-state": "states of fixed size",
  "extra-parts": "parts beside the decoder",
  "mixed-checkpoint-formats": "several number formats in the checkpoint",
};

export function featureWords(features: readonly string[]): string[] {
  return features.map((feature) => FEATURES[feature] ?? feature);
}

const ATTENTION: Record<string, string> = {
  MHA: "MHA: keys and values for every query head",
  GQA: "GQA: query heads share keys and values",
  MQA: "MQA: all query heads share one",
  MLA: "MLA: one compressed vector",
  "fixed state": "a state of fixed size",
  none: "none",
};

const NONE = "—";
const size = (value: number) => text(bytes(value));
const number = (value: number | null) => (value === null ? NONE : count(value));

function seen(group: GroupAnatomy): string {
  if (group.window !== null) return plural(group.window, "token");
  if (group.index_topk !== null) return `${count(group.index_topk)} picked by an indexer`;
  return group.attention === "fixed state" || group.attention === "none" ? NONE : "everything";
}

function feedForward(group: GroupAnatomy): string {
  if (group.experts === null) return group.feed_forward;
  const shared = group.shared_experts ? `, ${count(group.shared_experts)} shared` : "";
  return `${count(group.experts_per_token ?? 0)} of ${plural(group.experts, "expert")}${shared}`;
}

export interface Line {
  name: string;
  /** One for each group of layers. */
  values: string[];
  /** The same in base units, where the words are rounded. */
  exact?: string[];
}

/** The layer groups, a line for each thing there is to say of them; lines that are empty throughout are left out. */
export function groupLines(anatomy: Anatomy): Line[] {
  const { groups, kv_cache } = anatomy;
  const line = (name: string, say: (group: GroupAnatomy) => string) => ({ name, values: groups.map(say) });
  const cache = (group: GroupAnatomy) => (group.cache_bytes_per_token ? size(group.cache_bytes_per_token) : NONE);
  const lines: Line[] = [
    line("Layers", (group) => count(group.layers)),
    line("Attention", (group) => ATTENTION[group.attention] ?? group.attention),
    line("Query heads", (group) => number(group.query_heads)),
    line("KV heads", (group) => number(group.kv_heads)),
    line("Width of a key", (group) => number(group.head_dim)),
    line("A query sees", seen),
    line("Feed-forward", feedForward),
    line("Weights of an expert", (group) => (group.expert_parameters === null ? NONE : large(group.expert_parameters))),
    {
      ...line(`Cache of a token, ${kv_cache}`, cache),
      exact: groups.map((group) => `${group.cache_bytes_per_token} B`),
    },
    line("State of a request", (group) => (group.state_bytes ? size(group.state_bytes) : NONE)),
  ];
  return lines.filter(({ values }) => values.some((value) => value !== NONE));
}

export function groupTitles(groups: number): string[] {
  return groups === 1 ? ["All layers"] : Array.from({ length: groups }, (_, i) => `Kind ${i + 1}`);
}

export interface Fact {
  name: string;
  value: string;
  exact: string;
}

/** The figures of the model as a whole. */
export function facts(anatomy: Anatomy): Fact[] {
  const { model, active_parameters: active, weights_bytes, state_bytes, kv_cache } = anatomy;
  const list: Fact[] = [{ name: "Parameters", value: large(model.parameters), exact: String(model.parameters) }];
  if (active !== model.parameters) list.push({ name: "Used by a token", value: large(active), exact: String(active) });
  list.push(
    { name: `Checkpoint, ${model.checkpoint_format}`, value: size(weights_bytes), exact: `${weights_bytes} B` },
    {
      name: `Cache of a token, ${kv_cache}`,
      value: size(anatomy.cache_bytes_per_token),
      exact: `${anatomy.cache_bytes_per_token} B`,
    },
  );
  if (state_bytes) list.push({ name: "State of a request", value: size(state_bytes), exact: `${state_bytes} B` });
  if (model.context_length)
    list.push({
      name: "Made for",
      value: plural(model.context_length, "token"),
      exact: `${model.context_length} tokens`,
    });
  return list;
}

/** "32 layers, all alike: GQA. A token takes 131 kB of cache." */
export function inside(anatomy: Anatomy): string {
  const { groups, model } = anatomy;
  const kinds = groups.length === 1 ? "all alike" : `of ${groups.length} kinds`;
  const routed =
    anatomy.active_parameters === model.parameters
      ? ""
      : ` A token goes through ${large(anatomy.active_parameters)} of ${large(model.parameters)} parameters.`;
  return `${plural(model.layers, "layer")}, ${kinds}.${routed} A token takes ${size(anatomy.cache_bytes_per_token)} of cache.`;
}

/** A sentence that starts with the name of a field leaves it as it is spelt. */
function sentence(words: string): string {
  const first = /^\w*_/.test(words) ? words.charAt(0) : words.charAt(0).toUpperCase();
  return `${first}${words.slice(1)}`.replace(/([^.])$/, "$1.");
}

export const sentences = (list: readonly string[]) => list.map(sentence);

/** What the answer takes for granted of the model, and what it leaves out; near the verdict. */
export function caveats(estimate: Estimate): { kind: string; words: string }[] {
  const said = (kind: string, list: readonly string[]) => sentences(list).map((words) => ({ kind, words }));
  return [...said("Not counted", estimate.not_modelled), ...said("Assumed", estimate.deployment.model.assumed)];
}

/** What one group of layers keeps of a request, as its formula has it. */
export function cacheShape(group: LayerGroup, format: string): string {
  const layers = plural(group.layers, "layer");
  if (group.attention === "latent")
    return `${layers} × (${group.latent_dim} + ${group.rope_dim}), in ${format}; whole on each device`;
  if (group.attention === "state") return `${layers} with a state of fixed size; whole on each device`;
  if (group.attention === "none") return `${layers} without attention`;
  return `${layers} × ${group.kv_heads} KV heads × (${group.key_dim} + ${group.value_dim}), in ${format}`;
}
