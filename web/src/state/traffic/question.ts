import type { TrafficQuestion } from "../../api/traffic.ts";
import { toRequest } from "./lengths.ts";
import type { Field, Settings } from "./settings.ts";
import { FIELDS, LIMITS } from "./settings.ts";

/** The three that are compared, in the order in which they were invented. */
export const POLICIES = ["static", "continuous", "chunked"] as const;
export type Policy = (typeof POLICIES)[number];

/** A file of requests: sent as it is, and by its digest once the server knows it. */
export interface Trace {
  name: string;
  text: string;
  digest?: string;
}

function file({ name, text, digest }: Trace): Record<string, unknown> {
  return digest === undefined ? { name, text } : { name, digest };
}

function arrivals(settings: Settings): Record<string, unknown> {
  const { requests, seed, process, burst } = settings;
  const drawn = { requests, seed, prompt: toRequest(settings.prompt), output: toRequest(settings.output) };
  if (process === "clients") return { ...drawn, clients: settings.clients, think_s: settings.think_s };
  const spacing = process === "gamma" ? { burstiness: settings.burstiness } : {};
  const bursts = burst ? [burst] : [];
  return { ...drawn, requests_per_s: settings.requests_per_s, process, ...spacing, bursts };
}

/** The limits that the policies share, as a scheduler takes them. */
export function limits(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(LIMITS.map((field) => [field, settings[field]]));
}

/** The same requests for each policy. A file without arrivals takes the rate of the controls. */
export function toQuestion(
  settings: Settings,
  deployment: Record<string, unknown>,
  trace: Trace | null,
): TrafficQuestion {
  const { ttft_target_s, tpot_target_s } = settings;
  const requests_per_s = settings.trace_requests_per_s;
  const source = trace
    ? { trace: { ...file(trace), requests_per_s, seed: settings.seed } }
    : { traffic: arrivals(settings) };
  const schedulers = POLICIES.map((policy) => ({ policy, ...limits(settings) }));
  return { deployment, ...source, schedulers, ttft_target_s, tpot_target_s };
}

/** The control that a refusal is about; null where there is none on this page. */
export function blamed(path: string): Field | null {
  const [owner, name, part] = path.split(".");
  if (owner === "trace") return name === "requests_per_s" ? "trace_requests_per_s" : "trace";
  if (owner === "traffic" && name === "bursts") return "burst";
  const named = owner === "schedulers" ? part : owner === "traffic" ? name : path;
  return FIELDS.find((field) => field === named) ?? null;
}
