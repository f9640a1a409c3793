import type { Estimate } from "../api/types.ts";
import { seconds, text, tokenRate } from "../ui/format.ts";
import type { Explained } from "./figures.ts";

export interface Metric {
  name: string;
  means: string;
  leavesOut: string;
  value: (estimate: Estimate) => string | null;
  /** The formula that opens beside it. */
  of: Explained;
}

const time = (value: number | null) => (value === null ? null : text(seconds(value)));
const rate = (value: number | null) => (value === null ? null : text(tokenRate(value)));

/** What each figure is, and what a user would feel that is not in it. */
export const METRICS: readonly Metric[] = [
  {
    name: "Time to first token (TTFT)",
    means: "How long a request waits for its first token: the prefill of the whole batch.",
    leavesOut: "The queue before it, the network, turning text into tokens.",
    value: ({ ttft_s }) => time(ttft_s),
    of: "ttft",
  },
  {
    name: "Time per output token (TPOT)",
    means: "The mean time between two tokens of one request, once it has its first.",
    leavesOut: "How much single gaps differ from that mean, and prefills of other requests that would interrupt.",
    value: ({ tpot_s }) => time(tpot_s),
    of: "tpot",
  },
  {
    name: "End to end",
    means: "From the start of the prefill to the last token of the batch.",
    leavesOut: "Waiting before the start. Real requests end at different lengths; these all end together.",
    value: ({ e2e_s }) => time(e2e_s),
    of: "e2e",
  },
  {
    name: "Output throughput",
    means: "All output tokens of the batch over the whole time, the prefill included. What is paid for.",
    leavesOut: "Prompt tokens, which are work too, and the gap until the next batch.",
    value: ({ output_tokens_per_s }) => rate(output_tokens_per_s),
    of: "throughput",
  },
  {
    name: "Decode throughput",
    means: "Tokens of all requests together while they decode.",
    leavesOut: "The prefill. Always the larger number, and the one that brochures like.",
    value: ({ decode_tokens_per_s }) => rate(decode_tokens_per_s),
    of: "throughput",
  },
  {
    name: "Rate of one request",
    means: "Tokens that one user sees arrive in a second: the inverse of TPOT.",
    leavesOut: "Everybody else in the batch, and the wait for the first token.",
    value: ({ request_tokens_per_s }) => rate(request_tokens_per_s),
    of: "throughput",
  },
];
