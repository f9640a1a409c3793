import type { Part, Phase } from "../../api/traffic.ts";
import type { Policy } from "../../state/traffic/question.ts";

export const POLICY_NAMES: Record<Policy, string> = {
  static: "Static",
  continuous: "Continuous",
  chunked: "Chunked",
};

/** What each of them does, in a sentence. */
export const POLICY_RULES: Record<Policy, string> = {
  static: "A batch starts together and keeps its slots until its last request is done.",
  continuous: "A freed slot is refilled at once; whole prompts run first, between two tokens of everybody else.",
  chunked: "Prompts run in pieces beside the decodes, so that no token waits for a whole one.",
};

/** The life of a request. */
export const PHASE_NAMES: Record<Phase, string> = {
  queue: "In the queue",
  prefill: "Prefill",
  decode: "Decode",
  stalled: "Stalled by prefills of others",
  preempted: "Preempted",
};

/** Short, for a legend. */
export const PHASE_LABELS: Record<Phase, string> = {
  queue: "queue",
  prefill: "prefill",
  decode: "decode",
  stalled: "stalled",
  preempted: "preempted",
};

/** Where a request's time went: seven parts that sum to it. */
export const PART_NAMES: Record<Part, string> = {
  wait_slots_s: "Waits for a slot",
  wait_blocks_s: "Waits for memory",
  wait_order_s: "Waits its turn",
  prefill_s: "Prefill",
  decode_s: "Decode",
  stall_s: "Stalled by prefills of others",
  recompute_s: "Preempted, until its next token",
};

/** The colour of each part: the three kinds of waiting share theirs, and are told apart by their names. */
export const PART_PHASES: Record<Part, Phase> = {
  wait_slots_s: "queue",
  wait_blocks_s: "queue",
  wait_order_s: "queue",
  prefill_s: "prefill",
  decode_s: "decode",
  stall_s: "stalled",
  recompute_s: "preempted",
};
