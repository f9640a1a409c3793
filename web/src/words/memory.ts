/** How the parts of memory come about. */
import type { Estimate, LayerGroup } from "../api/types.ts";
import { count, large, plural } from "../ui/format.ts";
import { cacheShape } from "./model.ts";
import { weightsFormat } from "./phrases.ts";
import type { Parts } from "./terms.ts";
import { size } from "./terms.ts";

export function weights(estimate: Estimate): Parts {
  const { model, tensor_parallel } = estimate.deployment;
  const all = estimate.memory.weights_bytes * tensor_parallel;
  const beside = model.parts.reduce((sum, part) => sum + part.parameters, 0);
  const parts = beside
    ? [
        {
          name: "Parts",
          how: `${model.parts.map(({ name }) => name).join(", ")}; no pass runs them`,
          value: large(beside),
        },
      ]
    : [];
  return {
    formulas: ["weights", "allWeights"],
    terms: [
      { name: "P", how: `parameters of ${model.name}, all experts included`, value: large(model.parameters) },
      ...parts,
      {
        name: "w",
        how: `${weightsFormat(estimate)} on average, scales and zero points included`,
        value: size(all / (model.parameters + beside)),
      },
      { name: "W", how: "all weights", value: size(all) },
      { name: "N", how: "devices that share them", value: count(tensor_parallel) },
    ],
  };
}

/** A model of plain layers all alike keeps so much a token, however long the request is. */
function isPlain(groups: readonly LayerGroup[]): boolean {
  return groups.length === 1 && groups[0]?.attention === "grouped" && groups[0].window === null;
}

/** What a group of layers keeps of a request of that many tokens. */
function keeps(group: LayerGroup, tokens: number, freed: boolean): string {
  if (group.attention === "state") return `${size(group.layers * (group.state_bytes ?? 0))} a request`;
  if (group.attention === "none") return "nothing";
  const kept = freed && group.window !== null ? Math.min(group.window, tokens) : tokens;
  return plural(kept, "token");
}

/** Layer groups, each with what it keeps. */
function groupedCache(estimate: Estimate): Parts {
  const { model, kv_cache, free_windows } = estimate.deployment;
  const { prompt_tokens, output_tokens, batch } = estimate.workload;
  const tokens = prompt_tokens + output_tokens;
  const groups = model.groups.map((group, i) => ({
    name: `Group ${i + 1}`,
    how: `${cacheShape(group, kv_cache)}${group.window === null ? "" : `; window of ${plural(group.window, "token")}`}`,
    value: keeps(group, tokens, free_windows),
  }));
  return {
    formulas: ["groupedCache", "groupPerToken", "latentPerToken"],
    terms: [
      ...groups,
      { name: "x", how: `${count(prompt_tokens)} in + ${count(output_tokens)} out`, value: plural(tokens, "token") },
      { name: "b", how: "requests at once", value: count(batch) },
      {
        name: "z",
        how: "ways in which the devices split the cache of heads; latents and states are whole on each",
        value: count(estimate.deployment.tensor_parallel),
      },
    ],
  };
}

export function kvCache(estimate: Estimate): Parts {
  if (!isPlain(estimate.deployment.model.groups)) return groupedCache(estimate);
  const { model, tensor_parallel, kv_cache } = estimate.deployment;
  const { prompt_tokens, output_tokens, batch } = estimate.workload;
  const tokens = prompt_tokens + output_tokens;
  const each = estimate.memory.kv_cache_bytes / tokens / batch;
  const shape = `2 × ${model.layers} layers × ${model.kv_heads} KV heads × ${model.head_dim}, in ${kv_cache}`;
  return {
    formulas: ["kvCache", "perToken"],
    terms: [
      { name: tensor_parallel === 1 ? "κ" : "κ / N", how: `${shape}; held by each device`, value: size(each) },
      {
        name: "p + o",
        how: `${count(prompt_tokens)} in + ${count(output_tokens)} out`,
        value: `${count(tokens)} tokens`,
      },
      { name: "b", how: "requests at once", value: count(batch) },
    ],
  };
}

export function workspace(estimate: Estimate): Parts {
  const { model, workspace_buffers, tensor_parallel } = estimate.deployment;
  return {
    formulas: ["workspace"],
    terms: [
      { name: "Buffers", how: "bf16 activations, 2 bytes a value", value: count(workspace_buffers) },
      { name: "b", how: "requests at once", value: count(estimate.workload.batch) },
      { name: "p", how: "prompt", value: `${count(estimate.workload.prompt_tokens)} tokens` },
      {
        name: "h",
        how: `hidden width of ${model.name}`,
        value: count(model.hidden_size ?? model.query_heads * model.head_dim),
      },
      { name: "N", how: "devices that share it", value: count(tensor_parallel) },
    ],
  };
}

export const reserve: Parts = {
  formulas: ["reserve"],
  terms: [{ name: "Reserve", how: "kept free on each device for the runtime; a planning assumption", value: "" }],
};
