import type { Phase } from "../../api/traffic.ts";
import type { Level } from "../../charts/traffic/levels.ts";
import { figures, share, text } from "../../ui/format.ts";

interface Group {
  title: string;
  note: string;
  /** Stacked, from the bottom up. */
  levels: readonly Level[];
  /** The level whose value stands beside each lane. */
  told: Level;
  /** What the height stands for, where it is not the highest there is. */
  top?: number;
  legend?: readonly Phase[];
}

export const GROUPS: readonly Group[] = [
  {
    title: "Running",
    note: "requests that hold a slot and are not done; a finished one of static holds its slot, but does nothing",
    levels: ["decode", "stalled", "prefill"],
    told: "running",
    legend: ["decode", "stalled", "prefill"],
  },
  {
    title: "Waiting",
    note: "requests that arrived and have not begun, or were preempted",
    levels: ["queue", "preempted"],
    told: "waiting",
    legend: ["queue", "preempted"],
  },
  {
    title: "KV cache held",
    note: "share of its blocks that requests hold",
    levels: ["kv_occupancy"],
    told: "kv_occupancy",
    top: 1,
  },
];

/** "12.3 on average", "12.3 now" */
export function levelWords(level: Level, value: number, now: boolean): string {
  const amount = level === "kv_occupancy" ? text(share(value)) : figures(value);
  return `${amount} ${now ? "now" : "on average"}`;
}
