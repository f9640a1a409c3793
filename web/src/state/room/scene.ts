/** What the room shows, made from what the API answered. The picture and the flat drawing are drawn from this alone. */
import type { TrainingAnswer, Walk, WalkPass } from "../../api/room.ts";
import type { Bottleneck, Estimate, Memory } from "../../api/types.ts";
import { roofline } from "../../charts/roofline.ts";
import type { Action, MemoryBlocks, RoomState, StationId } from "../../scene/state.ts";
import { nameOf } from "../../words/roofline.ts";
import { labels } from "../../words/room/stations.ts";
import { placeOf } from "./rounds.ts";
import type { Stage } from "./rounds.ts";

export type Mode = RoomState["mode"];

export interface Shown {
  theme: RoomState["theme"];
  mode: Mode;
  station: StationId | null;
  estimate: Estimate;
  walk: Walk | null;
  /** The pass that is shown of it; null where none is, and the whole budget is. */
  at: number | null;
  /** What the requests held is given back. */
  released: boolean;
  training: TrainingAnswer | null;
  /** How many stages of training are over. */
  trained: number;
  /** What is under way at this moment. */
  action: Action | null;
}

/** As many requests as the magnified illustration has room for. */
export const REQUESTS_DRAWN = 8;

/** Three dots more are ten times the bytes, from one at a megabyte. */
const DOTS_PER_DECADE = 3;
const ONE_DOT_DECADES = 6;

export function dots(bytes: number): number {
  if (bytes <= 0) return 0;
  return Math.max(1, Math.round(DOTS_PER_DECADE * (Math.log10(bytes) - ONE_DOT_DECADES)));
}

export function memoryBlocks(memory: Memory): MemoryBlocks {
  const { total_bytes, capacity_bytes } = memory;
  return {
    weights: memory.weights_bytes,
    kv: memory.kv_cache_bytes,
    workspace: memory.workspace_bytes,
    reserve: memory.reserve_bytes,
    free: Math.max(0, capacity_bytes - total_bytes),
    capacity: capacity_bytes,
    over: Math.max(0, total_bytes - capacity_bytes),
  };
}

/** Bytes of a weight on average, parts beside the decoder included. */
export function bytesPerWeight(estimate: Estimate): number {
  const { model, tensor_parallel } = estimate.deployment;
  const beside = model.parts.reduce((sum, part) => sum + part.parameters, 0);
  return (estimate.memory.weights_bytes * tensor_parallel) / (model.parameters + beside);
}

/** Where in the room a bottleneck is; a fixed overhead is nowhere. */
const PLACES: Record<Bottleneck, StationId | null> = {
  compute: "compute",
  memory: "memory",
  communication: "interconnect",
  overhead: null,
};

/** What limits the pass shown; without one, decode, or the prefill where nothing is decoded. */
export function limiting(estimate: Estimate, shown: WalkPass | null): StationId | null {
  const bottleneck = shown?.phase.bottleneck ?? estimate.decode?.bottleneck ?? estimate.prefill?.bottleneck;
  return bottleneck ? PLACES[bottleneck] : null;
}

function kvBlocks({ walk, at, released, estimate }: Shown): number[] {
  if (!walk) return [];
  const each = released ? 0 : at === null ? walk.blocks_reserved : (walk.passes[at]?.blocks_per_request ?? 0);
  return Array.from({ length: Math.min(estimate.workload.batch, REQUESTS_DRAWN) }, () => each);
}

/** The pass whose traffic is drawn: the one shown, else the last one told. */
export function passShown({ walk, at }: Pick<Shown, "walk" | "at">): WalkPass | null {
  return walk?.passes[at ?? walk.passes.length - 1] ?? null;
}

function flows(shown: Shown): RoomState["flows"] {
  const pass = shown.released || shown.mode === "training" ? null : passShown(shown);
  if (!pass) return { weights: 0, kv: 0, links: 0 };
  return {
    weights: dots(pass.phase.linear.bytes),
    kv: dots(pass.phase.attention.bytes),
    links: dots(pass.exchanged_bytes),
  };
}

function points(estimate: Estimate): RoomState["roofline"] {
  const of = roofline(estimate);
  if (!of) return null;
  return {
    knee: of.knee,
    points: of.marks.map((mark) => ({ name: nameOf(mark), intensity: mark.intensity, rate: mark.flop_per_s })),
  };
}

/** Blocks of activations on the shelf, a symbol of what the forward pass keeps until the backward pass has used it. */
const KEPT: Record<Stage, number> = { examples: 0, forward: 8, loss: 8, backward: 4, update: 0 };

function lesson({ mode, training, trained }: Shown): RoomState["training"] {
  if (mode !== "training" || !training) return null;
  const { seen, lost, stage } = placeOf(trained, training.steps.length);
  return {
    losses: training.steps.slice(0, lost).map(({ loss }) => loss),
    probabilities: training.steps.slice(0, seen).map(({ probability }) => probability),
    stage,
    activations: KEPT[stage],
  };
}

export function sceneOf(shown: Shown): RoomState {
  const { estimate, theme, mode, station, action } = shown;
  const pass = passShown(shown);
  return {
    theme,
    mode,
    station,
    towers: estimate.deployment.tensor_parallel,
    memory: memoryBlocks(estimate.memory),
    fits: estimate.fits,
    bytesPerWeight: bytesPerWeight(estimate),
    batch: estimate.workload.batch,
    kvBlocksPerRequest: kvBlocks(shown),
    flows: flows(shown),
    limiting: mode === "training" ? null : limiting(estimate, shown.at === null ? null : pass),
    roofline: points(estimate),
    training: lesson(shown),
    action,
    labels: labels(estimate, shown.training),
  };
}
