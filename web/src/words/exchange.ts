/** What an exchange between devices costs, read back from its times in the two phases. */
import type { Estimate } from "../api/types.ts";
import { byteRate, percent, seconds, text } from "../ui/format.ts";
import { steps } from "./phrases.ts";
import type { Term } from "./terms.ts";

const BYTES = 2;

interface Exchange {
  latency_s: number;
  link_bytes_per_s: number;
}

/** Both phases exchange twice a layer, with as many tokens as they have: two times give the latency and the rate. */
export function exchange(estimate: Estimate): Exchange | null {
  const { prefill, decode, deployment, workload } = estimate;
  const { model, tensor_parallel: n } = deployment;
  const passes = steps(estimate);
  const apart = workload.batch * (workload.prompt_tokens - 1);
  if (!prefill || !decode || !passes || !apart || n === 1) return null;
  const each = 2 * model.layers;
  const [many, few] = [prefill.communication_s / each, decode.communication_s / passes / each];
  const token_s = (many - few) / apart;
  if (token_s <= 0) return null;
  const sent = ((2 * (n - 1)) / n) * (model.hidden_size ?? 0) * BYTES;
  return { latency_s: Math.max(0, few - workload.batch * token_s), link_bytes_per_s: sent / token_s };
}

/** The rate of the link and the latency of an all-reduce: as assumed, or as measured where that can be read back. */
export function exchangeTerms(estimate: Estimate): Term[] {
  const { link_utilization, all_reduce_latency_s, link_bytes_per_s, accelerator } = estimate.deployment;
  const link = link_bytes_per_s ?? accelerator.link_bytes_per_s ?? 0;
  const measured = estimate.calibration ? exchange(estimate) : null;
  if (estimate.calibration && !measured) return [];
  const reached = measured?.link_bytes_per_s ?? link * link_utilization;
  const latency = measured?.latency_s ?? all_reduce_latency_s;
  const share = text(percent(measured && link ? reached / link : link_utilization));
  const how = `${share} of ${text(byteRate(link))}, one way${measured ? ", as measured" : ""}`;
  return [
    { name: "link", how, value: text(byteRate(reached)) },
    { name: "Latency", how: `of one all-reduce${measured ? ", as measured" : ""}`, value: text(seconds(latency)) },
  ];
}
