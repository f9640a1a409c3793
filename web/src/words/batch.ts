import type { Estimate } from "../api/types.ts";
import type { Point } from "../charts/sweep.ts";
import { saturation } from "../charts/sweep.ts";
import { count, figures, plural, seconds, text, tokenRate } from "../ui/format.ts";
import type { Try } from "./bottleneck.ts";

export const STORY =
  "Requests of a batch share every read of the weights, so the first ones are nearly free. Then arithmetic and the KV cache, which no two requests share, take over: throughput flattens and every user waits longer for each token.";

/** Such as: "64 requests give 22.1 times the throughput of one". */
export function headline(points: readonly Point[]): string {
  const first = points.find(({ rate }) => rate !== null);
  const best = points.reduce((a, b) => ((b.rate ?? 0) > (a.rate ?? 0) ? b : a), points[0] ?? first!);
  if (!first?.rate || !best.rate) return "Not even one request fits";
  if (best.batch === first.batch) return "One request is all there is room for";
  return `Up to ${figures(best.rate / first.rate)} times the throughput of one request`;
}

/** What a larger batch is worth from here. */
export function turning(points: readonly Point[]): string | null {
  const point = saturation(points);
  const last = points.findLast(({ fits }) => fits);
  if (!point?.rate || point.tpot === null || !last?.rate) return null;
  if (point.batch === last.batch)
    return `Throughput still grows where memory ends, at ${plural(last.batch, "request")}.`;
  const most = text(tokenRate(point.rate));
  return `${plural(point.batch, "request")} already bring ${most}, nine tenths of the most, at ${text(seconds(point.tpot))} a token.`;
}

/** A point of the sweep, as the button it is. */
export function label(point: Point): string {
  const batch = `Batch ${count(point.batch)}`;
  if (!point.fits) return `${batch}: does not fit`;
  if (point.rate === null || point.ttft === null) return `${batch}: no figure`;
  const tpot = point.tpot === null ? "" : `, TPOT ${text(seconds(point.tpot))}`;
  return `${batch}: ${text(tokenRate(point.rate))}${tpot}, TTFT ${text(seconds(point.ttft))}`;
}

/** The point where it pays no more, and the most that fits. */
export function tries(points: readonly Point[], estimate: Estimate): Try[] {
  const { batch } = estimate.workload;
  const wanted = [saturation(points)?.batch, estimate.would_fit.batch, 1].filter(
    (value): value is number => typeof value === "number" && value !== batch,
  );
  return [...new Set(wanted)].map((value) => ({ label: `Batch ${count(value)}`, values: { batch: value } }));
}
