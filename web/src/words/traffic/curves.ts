export interface Curve {
  id: "ttft" | "tpot" | "itl";
  title: string;
  note: string;
  target: "ttft_target_s" | "tpot_target_s" | null;
}

/** What is drawn as a share of values up to a time. */
export const CURVES: readonly Curve[] = [
  {
    id: "ttft",
    title: "Time to first token",
    note: "The share of requests that have their first token by then.",
    target: "ttft_target_s",
  },
  {
    id: "tpot",
    title: "Time per output token",
    note: "The share of requests that take no longer for a token, on average.",
    target: "tpot_target_s",
  },
  {
    id: "itl",
    title: "Gap between two tokens",
    note: "The share of all gaps no longer than that: the mean hides the long ones.",
    target: "tpot_target_s",
  },
];
