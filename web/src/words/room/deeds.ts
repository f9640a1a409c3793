/** What can be done in the room, and what it did: every number is the API's. */
import type { Walk, WalkPass } from "../../api/room.ts";
import type { Estimate, Phase } from "../../api/types.ts";
import type { ActionKind, RoomState } from "../../scene/state.ts";
import type { Config } from "../../state/config.ts";
import { bytes, count, plural, seconds, text, tokenRate } from "../../ui/format.ts";
import { LIMITS, checkpointFormat, devices, weightsFormat } from "../phrases.ts";
import { absence } from "../reasons.ts";

export interface Change {
  kind: ActionKind;
  /** What the button says. */
  label: string;
  /** The same as something that is done. */
  title: string;
  values: Partial<Config>;
  /** The configuration is that already. */
  current?: boolean;
}

export interface Line {
  name: string;
  before: string;
  after: string;
}

export interface Done {
  title: string;
  /** What the live region says. */
  sentence: string;
  lines: Line[];
  /** The configuration was changed, so that it can be undone. */
  undoable: boolean;
}

export const GUESS_FIRST = "Say first what it does to this configuration; then it is done, and the answer says why.";

export const UNTOLD = "The passes of this configuration cannot be told.";

export function already(change: Change): string {
  return `The weights have ${change.label} already.`;
}

export const OVERVIEW = "Overview of the whole room.";

export const MODES: Record<RoomState["mode"], string> = {
  inference: "Inference: the room shows the configuration of this page.",
  training: "Training: one weight learns at the bench; no language model runs.",
};

const size = (value: number) => text(bytes(value));
const time = (value: number) => text(seconds(value));

/** 16, 8 and 4 bits, from the bytes that a weight really takes. */
const WIDTHS = [
  { bits: 16, least: 1.5, format: "bf16" },
  { bits: 8, least: 0.8, format: "int8" },
  { bits: 4, least: 0, format: "int4" },
] as const;

export function quantisations(estimate: Estimate, perWeight: number): Change[] {
  const now = WIDTHS.find(({ least }) => perWeight >= least);
  return WIDTHS.map(({ bits, format }) => {
    const published = ["bf16", "fp16"].includes(checkpointFormat(estimate)) && bits === 16;
    return {
      kind: "quantise",
      label: `${bits} bits`,
      title: bits === 16 ? "Give the weights 16 bits" : `Quantise the weights to ${bits} bits (${format})`,
      values: { weights: published ? null : format },
      current: bits === now?.bits,
    };
  });
}

/** The next allowed degree on either side; the API says which those are. */
export function shards(estimate: Estimate): Change[] {
  const now = estimate.deployment.tensor_parallel;
  const allowed = estimate.tensor_parallel_options.filter((option) => option.allowed).map(({ degree }) => degree);
  const [more, fewer] = [allowed.find((degree) => degree > now), allowed.findLast((degree) => degree < now)];
  const shard = (verb: string, degree: number | undefined): Change[] => {
    if (degree === undefined) return [];
    const by = plural(Math.abs(degree - now), "GPU shard");
    const title = `${verb} ${by}: ${devices(degree)} in place of ${count(now)}`;
    return [{ kind: "shard", label: `${verb} ${by}`, title, values: { tensor_parallel: degree } }];
  };
  return [...shard("Add", more), ...shard("Remove", fewer)];
}

/** Whether there is a figure on both sides to guess about. */
export function guessed(before: Estimate, after: Estimate): "tpot_s" | "ttft_s" | null {
  if (before.tpot_s !== null && after.tpot_s !== null) return "tpot_s";
  return before.ttft_s !== null && after.ttft_s !== null ? "ttft_s" : null;
}

export function asked(change: Change): string {
  return `${change.title}? Say first what it will do.`;
}

function line(name: string, before: number | null, after: number | null, show: (value: number) => string): Line[] {
  if (before === after || (before === null && after === null)) return [];
  const shown = (value: number | null) => (value === null ? "none" : show(value));
  return [{ name, before: shown(before), after: shown(after) }];
}

function room(estimate: Estimate): string {
  const { capacity_bytes, total_bytes } = estimate.memory;
  const free = capacity_bytes - total_bytes;
  return free >= 0 ? `${size(free)} free` : `${size(-free)} too much`;
}

export function changedLines(before: Estimate, after: Estimate): Line[] {
  const [old, now] = [before.memory, after.memory];
  const each = [before, after].some(({ deployment }) => deployment.tensor_parallel > 1) ? " of each device" : "";
  return [
    ...line("Devices", before.deployment.tensor_parallel, after.deployment.tensor_parallel, count),
    ...line(`Weights${each}`, old.weights_bytes, now.weights_bytes, size),
    ...line(`KV cache${each}`, old.kv_cache_bytes, now.kv_cache_bytes, size),
    ...line(`Workspace${each}`, old.workspace_bytes, now.workspace_bytes, size),
    { name: `Memory${each}`, before: room(before), after: room(after) },
    ...line("Time to first token", before.ttft_s, after.ttft_s, time),
    ...line("Time per output token", before.tpot_s, after.tpot_s, time),
    ...line("Output throughput", before.output_tokens_per_s, after.output_tokens_per_s, (value) =>
      text(tokenRate(value)),
    ),
  ];
}

/** "Weights 16.1 GB → 8.43 GB, memory 58.3 GB free → 66.0 GB free." */
function spoken(lines: readonly Line[]): string {
  return lines.map(({ name, before, after }) => `${name}: ${before} → ${after}`).join("; ");
}

export function changed(change: Change, before: Estimate, after: Estimate): Done {
  const lines = changedLines(before, after);
  const absent = absence(after);
  const verdict = absent ? ` ${absent}` : "";
  return { title: change.title, sentence: `${change.title}. ${spoken(lines)}.${verdict}`, lines, undoable: true };
}

function boundBy(phase: Phase): string {
  return phase.bottleneck ? `, bound by ${LIMITS[phase.bottleneck]}` : "";
}

const NOTHING: Pick<Done, "lines" | "undoable"> = { lines: [], undoable: false };

function impossible(title: string, estimate: Estimate): Done {
  return { title, sentence: `${absence(estimate) ?? "No pass can be told."} No request can run.`, ...NOTHING };
}

/** What a pass did, in one sentence. */
export function passed(pass: WalkPass): string {
  const what = pass.number
    ? `Step ${count(pass.number)} makes ${plural(pass.tokens, "token")}`
    : `The prefill reads ${plural(pass.tokens, "token")}`;
  return `${what} in ${time(pass.phase.time_s)}${boundBy(pass.phase)}`;
}

interface Before {
  pass: WalkPass | null;
  released: boolean;
}

type Tell = (estimate: Estimate, walk: Walk, before: Before, after: WalkPass | null) => Done;

export const ran: Tell = (estimate, walk) => {
  const title = "Run a request";
  const [first, last] = [walk.passes[0], walk.passes.at(-1)];
  if (!first || !last) return impossible(title, estimate);
  const decode = last === first ? "" : ` ${passed(last)}.`;
  const whole = `All is done after ${time(last.end_s)}: ${plural(estimate.workload.batch, "request")}, ${plural(last.tokens_out, "token")} each.`;
  return { title, sentence: `${passed(first)}.${decode} ${whole}`, lines: held(first, last), undoable: false };
};

/** The cache in use, from one pass to another. */
function held(from: WalkPass, to: WalkPass): Line[] {
  return [
    ...line("Tokens out of each request", from.tokens_out, to.tokens_out, count),
    ...line("Cache in use of each device", from.kv_cache_bytes, to.kv_cache_bytes, size),
    ...line("Blocks of each request", from.blocks_per_request, to.blocks_per_request, count),
  ];
}

export const generated: Tell = (estimate, walk, before, after) => {
  const title = "Generate tokens";
  const from = (!before.released && before.pass) || walk.passes[0];
  if (!from || !after) return impossible(title, estimate);
  const lines = held(from, after);
  if (from === after)
    return { title, sentence: `All ${plural(after.tokens_out, "token")} are out: run another request.`, ...NOTHING };
  return { title, sentence: `${passed(after)}. ${spoken(lines)}.`, lines, undoable: false };
};

export const released: Tell = (estimate, walk, before) => {
  const title = "Release KV memory";
  const whole = { kv_cache_bytes: walk.reserved_bytes, blocks_per_request: walk.blocks_reserved };
  const from = before.pass ?? whole;
  if (before.released) return { title, sentence: "Nothing is held: it was given back already.", ...NOTHING };
  const lines = [
    ...line("Cache in use of each device", from.kv_cache_bytes, 0, size),
    ...line("Blocks of each request", from.blocks_per_request, 0, count),
  ];
  const others = `${plural(estimate.workload.batch, "request")} gave back what they held; weights stay.`;
  return { title, sentence: `${others} ${spoken(lines)}.`, lines, undoable: false };
};

export function formatNow(estimate: Estimate): string {
  return `Weights in ${weightsFormat(estimate)} now`;
}
