/** What the room is told: every object stands for a quantity of the model, and nothing in the scene computes one. */

export const STATIONS = ["weights", "compute", "memory", "interconnect", "training"] as const;

export type StationId = (typeof STATIONS)[number];

export type View = StationId | "overview";

/** Bytes on each device. */
export interface MemoryBlocks {
  weights: number;
  kv: number;
  workspace: number;
  reserve: number;
  free: number;
  capacity: number;
  /** By how much all of it is more than there is. */
  over: number;
}

/** Dots under way on each path, already on the scale of the legend; 0 where nothing flows. */
export interface Flows {
  weights: number;
  kv: number;
  links: number;
}

export interface RooflinePoint {
  name: string;
  /** FLOP per byte. */
  intensity: number;
  /** FLOP per second. */
  rate: number;
}

/** The whiteboard: the knee in FLOP per byte, and the points under the roof. */
export interface Roofline {
  knee: number;
  points: RooflinePoint[];
}

export type TrainingStage = "examples" | "forward" | "loss" | "backward" | "update";

export interface Training {
  losses: number[];
  probabilities: number[];
  stage: TrainingStage;
  /** How many layers keep their activations for the backward pass. */
  activations: number;
}

export type ActionKind = "request" | "generate" | "release" | "quantise" | "shard";

export interface Action {
  kind: ActionKind;
  step: number;
  of: number;
}

export interface Label {
  title: string;
  figure: string;
}

export interface RoomState {
  theme: "light" | "dark";
  mode: "inference" | "training";
  /** Where the researcher is and what the room looks at; null for the whole of it. */
  station: StationId | null;
  /** The tensor-parallel degree; beyond eight, eight are drawn. */
  towers: number;
  memory: MemoryBlocks | null;
  fits: boolean;
  bytesPerWeight: number;
  /** Sequences of the batch: the cards on the request desk. */
  batch: number;
  /** KV blocks of each request that is shown magnified. */
  kvBlocksPerRequest: number[];
  flows: Flows;
  /** What takes the time: lit. */
  limiting: StationId | null;
  roofline: Roofline | null;
  training: Training | null;
  /** What runs at this moment; its dots move while it is there. */
  action: Action | null;
  labels: Record<StationId, Label>;
}
