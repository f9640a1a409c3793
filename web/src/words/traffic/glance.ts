import type { Comparison } from "../../api/traffic.ts";
import { POLICIES } from "../../state/traffic/question.ts";
import type { Settings } from "../../state/traffic/settings.ts";
import { count, seconds, text } from "../../ui/format.ts";
import { POLICY_NAMES } from "./policies.ts";

/** "1,000 requests · 20 a second" */
export function load({ trace, process, clients, requests, requests_per_s }: Settings): string {
  if (trace !== null) return "A file of requests";
  const pace = process === "clients" ? `${count(clients)} clients` : `${count(requests_per_s)} a second`;
  return `${count(requests)} requests · ${pace}`;
}

/** The answer in one line, for where there is no room for more. */
export function glance(answer: Comparison): string {
  const parts = answer.runs.flatMap(({ summary }, i) => {
    const ttft = summary?.["ttft_p99_s"] ?? null;
    return ttft === null ? [] : [`${POLICY_NAMES[POLICIES[i]!]} ${text(seconds(ttft))}`];
  });
  return parts.length ? `p99 TTFT: ${parts.join(" · ")}` : "Nobody was served";
}
