import { scaleLog } from "d3-scale";
import type { Distribution } from "../../api/traffic.ts";

/** The share of values up to each edge: from 0 at the first to 1 at the last. */
export function cumulate(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  let sum = 0;
  return [0, ...counts.map((count) => (sum += count) / total)];
}

/** The share of values below a limit; within the bin that it falls into, evenly by ratio. */
export function shareBelow({ edges_s }: Distribution, counts: readonly number[], limit: number): number {
  const shares = cumulate(counts);
  const after = edges_s.findIndex((edge) => edge > limit);
  if (after < 0) return 1;
  if (after === 0) return 0;
  const [low, high] = [edges_s[after - 1]!, edges_s[after]!];
  const part = low > 0 ? Math.log(limit / low) / Math.log(high / low) : (limit - low) / (high - low);
  return shares[after - 1]! + (shares[after]! - shares[after - 1]!) * Math.min(Math.max(part, 0), 1);
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Drawn {
  x: (value: number) => number;
  y: (share: number) => number;
  /** One path a scheduler; empty where it has no values. */
  paths: string[];
  ticks: { value: number; at: number }[];
}

/** The first and last edges around any values, with the target in sight. */
function domain({ edges_s, counts }: Distribution, target: number | null): [number, number] {
  const held = edges_s.slice(0, -1).flatMap((_, i) => (counts.some((row) => row?.[i]) ? [i] : []));
  const positive = edges_s.find((edge) => edge > 0) ?? 1e-3;
  const low = Math.max(edges_s[held[0] ?? 0] ?? positive, positive);
  const high = edges_s[(held.at(-1) ?? edges_s.length - 2) + 1] ?? low * 10;
  const all = target ? [low, high, target * 0.8, target * 1.25] : [low, high];
  return [Math.min(...all), Math.max(...all, low * 1.2)];
}

export function draw(distribution: Distribution, target: number | null, frame: Frame): Drawn {
  const x = scaleLog()
    .domain(domain(distribution, target))
    .range([frame.left, frame.width - frame.right])
    .clamp(true);
  const bottom = frame.height - frame.bottom;
  const y = (share: number) => bottom - share * (bottom - frame.top);
  const paths = distribution.counts.map((counts) => {
    if (!counts?.length) return "";
    const shares = cumulate(counts);
    return shares
      .map((share, i) => `${i ? "L" : "M"}${x(distribution.edges_s[i]!).toFixed(1)} ${y(share).toFixed(1)}`)
      .join("");
  });
  return { x, y, paths, ticks: decades(x.domain() as [number, number], x) };
}

/** Powers of ten, and where there are fewer than two, the halves and fifths between. */
function decades([low, high]: [number, number], x: (value: number) => number): { value: number; at: number }[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of Math.log10(high / low) < 2 ? [1, 2, 5] : [1]) ticks.push(step * 10 ** power);
  }
  return ticks.filter((value) => value >= low && value <= high).map((value) => ({ value, at: x(value) }));
}
