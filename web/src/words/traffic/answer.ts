import type { Comparison, Run } from "../../api/traffic.ts";
import type { Settings } from "../../state/traffic/settings.ts";
import { count, seconds, share, text } from "../../ui/format.ts";

/** "1,000 requests, 20 a second, 512 tokens in and 256 out on average" */
export function asked(answer: Comparison, settings: Settings): string[] {
  const { requests, prompt_tokens, output_tokens } = answer;
  const mean = (tokens: number) => count(Math.round(tokens / (requests || 1)));
  return [
    `${count(requests)} requests`,
    arrivals(answer, settings),
    `${mean(prompt_tokens)} tokens in`,
    `${mean(output_tokens)} out on average`,
  ];
}

function arrivals({ format, first_arrival_s, last_arrival_s }: Comparison, settings: Settings): string {
  const over = text(seconds(last_arrival_s - first_arrival_s));
  if (settings.trace !== null) return format ? `${format}, over ${over}` : `over ${over}`;
  if (settings.process === "clients") return `${count(settings.clients)} clients`;
  return `${count(settings.requests_per_s)} a second`;
}

/** "97.3 % of requests within both targets" */
export function attainment({ summary }: Run): string | null {
  const attained = summary?.["slo_attainment"] ?? null;
  return attained === null ? null : `${text(share(attained))} of requests within the targets`;
}

/** A run that rejected everything. */
export function isEmpty({ summary }: Run, { requests }: Comparison): boolean {
  return (summary?.["rejections"] ?? 0) >= requests;
}

export const ALL_REJECTED =
  "Every request was rejected: the whole KV cache has fewer blocks than one request may need for its prompt and its output. Give the cache more blocks, make requests shorter, or choose a device with more memory.";

/** Where nothing can run at all. */
export const NO_ROOM = "There is no room for traffic";

/** "Some requests were rejected" */
export function rejectedNote(answer: Comparison): string | null {
  const rejected = Math.max(0, ...answer.runs.map(({ summary }) => summary?.["rejections"] ?? 0));
  if (!rejected || rejected >= answer.requests) return null;
  return `Up to ${count(rejected)} of ${count(answer.requests)} requests were rejected: the whole cache is smaller than they may become. Latencies are of those that were served.`;
}
