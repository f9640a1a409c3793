import type { Estimate } from "../api/types.ts";
import type { Split } from "../state/charts.svelte.ts";
import { byteRate, count, figures, round, seconds, text } from "../ui/format.ts";
import { devices, steps } from "./phrases.ts";

export interface Link {
  id: string;
  label: string;
  /** Datasheet rate, one way. */
  bytes_per_s: number;
}

export const LINKS: readonly Link[] = [
  { id: "nvlink4", label: "NVLink 4", bytes_per_s: 450e9 },
  { id: "nvlink3", label: "NVLink 3", bytes_per_s: 300e9 },
  { id: "pcie5", label: "PCIe 5", bytes_per_s: 63e9 },
  { id: "pcie4", label: "PCIe 4", bytes_per_s: 31e9 },
];

export const STORY =
  "Each device holds a share of every layer, so weights and cache are read by all of them at once. In return they exchange activations twice a layer, and wait for each other each time.";

export const NO_BANDWIDTH =
  "A faster link shortens the exchange and nothing else: NVLink adds no HBM bandwidth to any device.";

/** What a rate of the datasheet comes to: "450 GB/s one way, 338 GB/s effective"; what a profile makes of it is its own. */
export function rateWords(bytesPerSecond: number, utilization: number | null): string {
  const short = (value: number) => round(byteRate(value));
  if (utilization === null) return `${short(bytesPerSecond)} one way`;
  return `${short(bytesPerSecond)} one way, ${short(bytesPerSecond * utilization)} effective`;
}

/** Time that one decode step spends in exchanges. */
export function synchronisation(estimate: Estimate): { prefill: number; step: number } | null {
  const { prefill, decode } = estimate;
  if (!prefill || !decode) return null;
  return { prefill: prefill.communication_s, step: steps(estimate) ? decode.communication_s / steps(estimate) : 0 };
}

/** The degree with the shortest step against one device, in words. */
export function headline(splits: readonly Split[], estimate: Estimate): string {
  const fitting = splits.filter(({ estimate }) => estimate?.fits);
  const known = fitting.filter(({ estimate }) => estimate && estimate.e2e_s !== null);
  if (!estimate.fits) return fitting[0] ? `${devices(fitting[0].degree)} are enough` : "No number of devices is enough";
  const first = known[0];
  const best = known.reduce(
    (a, b) => ((b.estimate?.e2e_s ?? Infinity) < (a.estimate?.e2e_s ?? Infinity) ? b : a),
    known[0]!,
  );
  if (!first) return fitting.length ? "The rate of the link is not known" : "No number of devices is enough";
  if (best.degree === first.degree) return `${devices(first.degree)}: more would be slower`;
  const ratio = (first.estimate?.e2e_s ?? 1) / (best.estimate?.e2e_s ?? 1);
  return `${devices(best.degree)}: ${figures(ratio)} times as fast as ${devices(first.degree)}, not ${count(best.degree / first.degree)}`;
}

/** What the split in use pays for being one. */
export function price(estimate: Estimate): string | null {
  const sync = synchronisation(estimate);
  if (estimate.deployment.tensor_parallel === 1) return "One device has nobody to wait for.";
  if (!sync || estimate.ttft_s === null) return null;
  const step =
    sync.step && estimate.tpot_s
      ? ` and ${text(seconds(sync.step))} of each ${text(seconds(estimate.tpot_s))} step`
      : "";
  return `Synchronisation takes ${text(seconds(sync.prefill))} of the ${text(seconds(estimate.ttft_s))} prefill${step}.`;
}
