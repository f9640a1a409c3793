/** The stations of the room: what each is called, what its label says, and what its inspector tells. */
import type { TrainingAnswer, Walk, WalkPass } from "../../api/room.ts";
import type { Estimate } from "../../api/types.ts";
import type { StationId } from "../../scene/state.ts";
import { byteRate, bytes, count, flop, intensity, percent, plural, seconds, text } from "../../ui/format.ts";
import type { Explained } from "../figures.ts";
import { BOUND_BY, devices, over, spare, steps, weightsFormat } from "../phrases.ts";
import { absence } from "../reasons.ts";

export const STATIONS: readonly { id: StationId; title: string; icon: string }[] = [
  { id: "weights", title: "Weights", icon: "rack" },
  { id: "compute", title: "GPU compute", icon: "die" },
  { id: "memory", title: "HBM and cache", icon: "blocks" },
  { id: "interconnect", title: "Interconnect", icon: "bridge" },
  { id: "training", title: "Training bench", icon: "bench" },
];

export function titleOf(id: StationId): string {
  return STATIONS.find((station) => station.id === id)?.title ?? "";
}

/** What stands on the station's label: one figure of the estimate. */
function figureOf(id: StationId, estimate: Estimate, training: TrainingAnswer | null): string {
  const { memory, deployment, knee_flop_per_byte: knee } = estimate;
  switch (id) {
    case "weights":
      return `${text(bytes(memory.weights_bytes * deployment.tensor_parallel))} in ${weightsFormat(estimate)}`;
    case "compute":
      return knee === null ? "rate not known" : `balanced at ${text(intensity(knee))}`;
    case "memory":
      return estimate.fits ? `${spare(estimate)} free` : `${over(estimate)} too much`;
    case "interconnect":
      return deployment.tensor_parallel === 1 ? "one device, no exchange" : devices(deployment.tensor_parallel);
    case "training":
      return training ? `${text(bytes(training.memory.total_bytes))} to train` : "one weight";
  }
}

export function labels(
  estimate: Estimate,
  training: TrainingAnswer | null,
): Record<StationId, { title: string; figure: string }> {
  const made = STATIONS.map(({ id, title }) => [id, { title, figure: figureOf(id, estimate, training) }] as const);
  return Object.fromEntries(made) as Record<StationId, { title: string; figure: string }>;
}

export interface Row {
  name: string;
  value: string;
  exact?: string;
  /** The figure whose formula opens beside it. */
  formula?: Explained;
}

export interface Told {
  /** One or two sentences: what the object is, and what of it counts here. */
  story: string;
  /** Names of formulas.tex. */
  formulas: string[];
  rows: Row[];
}

const size = (name: string, value: number, formula?: Explained): Row => ({
  name,
  value: text(bytes(value)),
  exact: `${value} B`,
  ...(formula ? { formula } : {}),
});

const time = (name: string, value: number, formula?: Explained): Row => ({
  name,
  value: text(seconds(value)),
  exact: `${value} s`,
  ...(formula ? { formula } : {}),
});

function weights(estimate: Estimate, walk: Walk | null, perWeight: number): Told {
  const { memory, deployment } = estimate;
  const step = walk?.passes.at(-1);
  return {
    story:
      "The rack holds every weight of the model; its drawers grow and shrink with the bytes of a weight. Each pass reads them once (of experts, those that its tokens touch), however many tokens share the pass.",
    formulas: ["weights", "allWeights"],
    rows: [
      { name: "Format", value: weightsFormat(estimate) },
      { name: "Bytes a weight", value: text(bytes(perWeight)), exact: `${perWeight} B` },
      size("On each device", memory.weights_bytes, "weights"),
      size("On all devices", memory.weights_bytes * deployment.tensor_parallel),
      ...(step ? [size("Read by the linear layers in one pass", step.phase.linear.bytes)] : []),
    ],
  };
}

function passRows(estimate: Estimate): Row[] {
  const { prefill, decode } = estimate;
  if (!prefill || !decode) return [];
  const n = steps(estimate);
  return [
    { name: "Work of the prefill", value: text(flop(prefill.flop)), exact: `${prefill.flop} FLOP` },
    time("Prefill", prefill.time_s, "ttft"),
    ...(n ? [{ name: "Work of one step", value: text(flop(decode.flop / n)), exact: `${decode.flop / n} FLOP` }] : []),
    ...(n ? [time("One decode step", decode.time_s / n, "tpot")] : []),
    ...(prefill.bottleneck ? [{ name: "The prefill is", value: BOUND_BY[prefill.bottleneck].toLowerCase() }] : []),
    ...(decode.bottleneck ? [{ name: "Decode is", value: BOUND_BY[decode.bottleneck].toLowerCase() }] : []),
  ];
}

function compute(estimate: Estimate): Told {
  const knee = estimate.knee_flop_per_byte;
  const absent = absence(estimate);
  return {
    story: `In the middle of each package is the die that multiplies; the memory stacks around it feed it. It has enough work only where every byte that arrives brings enough arithmetic: that balance is the knee on the whiteboard.${absent ? ` ${absent}` : ""}`,
    formulas: ["stage", "knee"],
    rows: [
      ...(knee === null
        ? []
        : [{ name: "Knee", value: text(intensity(knee)), exact: `${knee} FLOP/B`, formula: "knee" as const }]),
      ...passRows(estimate),
    ],
  };
}

function memory(estimate: Estimate, walk: Walk | null): Told {
  const { memory: parts } = estimate;
  const free = parts.capacity_bytes - parts.total_bytes;
  return {
    story:
      "Each tower stacks what its device holds, true to scale. On the shelf the same cache is magnified: one tray for each request, one block for every 16 of its tokens. The trays are no servers of their own, they are the green part of the towers.",
    formulas: ["kvCache", "total"],
    rows: [
      size("KV cache", parts.kv_cache_bytes, "kv_cache"),
      size("Weights", parts.weights_bytes, "weights"),
      size("Workspace", parts.workspace_bytes, "workspace"),
      size("Reserve", parts.reserve_bytes, "reserve"),
      size(free >= 0 ? "Free" : "Too much", Math.abs(free)),
      size("The device has", parts.capacity_bytes),
      ...(walk ? [{ name: "Blocks of one request", value: count(walk.blocks_reserved) }] : []),
    ],
  };
}

function interconnect(estimate: Estimate, walk: Walk | null): Told {
  const { tensor_parallel: n, link_utilization, link_bytes_per_s, accelerator } = estimate.deployment;
  const link = link_bytes_per_s ?? accelerator.link_bytes_per_s;
  const [first, last] = [walk?.passes[0], walk?.passes.at(-1)];
  const alone = n === 1;
  return {
    story: alone
      ? "One device keeps the whole model, so there is nothing to exchange. With a second one, each does its half of every layer, and both put their halves together twice a layer."
      : "Each device does its share of every layer; twice a layer they put their shares together over the bridge. A bridge speeds the exchange, it adds no memory bandwidth.",
    formulas: ["communication"],
    rows: [
      { name: "Devices", value: count(n) },
      ...(link === null
        ? []
        : [
            {
              name: "Link, one way",
              value: `${text(byteRate(link))}, used at ${text(percent(link_utilization))}`,
              exact: `${link} B/s`,
            },
          ]),
      ...(alone ? [] : exchanges(first, last)),
    ],
  };
}

function exchanges(first: WalkPass | undefined, last: WalkPass | undefined): Row[] {
  if (!first || !last) return [];
  return [
    size("Exchanged in the prefill", first.exchanged_bytes),
    time("Time of it", first.phase.communication_s, "communication"),
    ...(last === first ? [] : [size("Exchanged in one step", last.exchanged_bytes)]),
    ...(last === first ? [] : [time("Time of that", last.phase.communication_s)]),
  ];
}

function training(answer: TrainingAnswer | null): Told {
  const kept = answer?.memory;
  return {
    story:
      "At the bench a classifier of one weight learns to say “blue”, in the five stages that every training goes through. Beside it stands what a real run of the chosen model would keep of its parameters.",
    formulas: ["probability", "trainingLoss", "gradient", "update"],
    rows: kept
      ? [
          { name: "Bytes a parameter", value: String(kept.bytes_per_parameter) },
          size("To train all parameters", kept.total_bytes),
          size("One device has", kept.capacity_bytes),
          { name: "Devices that hold it together", value: `${count(kept.devices)} or more` },
        ]
      : [],
  };
}

export interface Seen {
  walk: Walk | null;
  training: TrainingAnswer | null;
  bytesPerWeight: number;
}

export function told(id: StationId, estimate: Estimate, seen: Seen): Told {
  switch (id) {
    case "weights":
      return weights(estimate, seen.walk, seen.bytesPerWeight);
    case "compute":
      return compute(estimate);
    case "memory":
      return memory(estimate, seen.walk);
    case "interconnect":
      return interconnect(estimate, seen.walk);
    case "training":
      return training(seen.training);
  }
}

/** What the live region says when a station is chosen. */
export function arrived(id: StationId, estimate: Estimate, answer: TrainingAnswer | null): string {
  return `${titleOf(id)}: ${figureOf(id, estimate, answer)}.`;
}

/** The whole picture in words, for whoever does not see it. */
export function picture(estimate: Estimate, limiting: StationId | null, requests: number): string {
  const { tensor_parallel: n } = estimate.deployment;
  const fit = estimate.fits ? `with ${spare(estimate)} of memory free` : `which lacks ${over(estimate)} of memory`;
  const bottleneck = limiting && estimate.decode?.bottleneck ? ` ${titleOf(limiting)} is lit: it limits.` : "";
  return `The research room: ${plural(n, "GPU tower")}, ${fit}${n > 1 ? " on each" : ""}, and ${plural(requests, "request")} at the desk.${bottleneck}`;
}
