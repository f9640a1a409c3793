import { describe, expect, it } from "vitest";
import type { TrainingAnswer, Walk } from "../../api/room.ts";
import { EXAMPLE, LATENT, TOO_LARGE } from "../../testing/answers.ts";
import { dots, bytesPerWeight, memoryBlocks, sceneOf } from "./scene.ts";
import type { Shown } from "./scene.ts";
import { lastStage, placeOf } from "./rounds.ts";

const PASS = { ...EXAMPLE.prefill!, bottleneck: "compute" as const };
const WALK: Walk = {
  fits: true,
  block_tokens: 16,
  blocks_reserved: 80,
  reserved_bytes: 2.7e9,
  passes: [64, 72, 80].map((blocks_per_request, number) => ({
    number,
    tokens: 16,
    phase: PASS,
    exchanged_bytes: 0,
    end_s: number,
    tokens_out: number + 1,
    context_tokens: 1024 + number,
    blocks_per_request,
    kv_cache_bytes: 1e9,
  })),
};
const TRAINING = {
  learning_rate: 0.5,
  steps: [0.5, 0.562, 0.615].map((probability, i) => ({ probability, loss: 1 - i / 10 })),
  memory: { total_bytes: 144e9 },
} as unknown as TrainingAnswer;

const SHOWN: Shown = {
  theme: "dark",
  mode: "inference",
  station: null,
  estimate: EXAMPLE,
  walk: WALK,
  at: null,
  released: false,
  training: null,
  trained: 0,
  action: null,
};

describe("dots of a flow", () => {
  it("are three more for ten times the bytes, none for nothing", () => {
    expect([0, 1, 1e6, 1e7, 1e9, 1.6e10].map(dots)).toEqual([0, 1, 1, 3, 9, 13]);
  });
});

describe("the memory of a tower", () => {
  it("is the estimate's, and says what is too much", () => {
    const blocks = memoryBlocks(EXAMPLE.memory);
    expect(blocks.weights + blocks.kv + blocks.workspace + blocks.reserve + blocks.free).toBeCloseTo(8e10, -2);
    expect(blocks.over).toBe(0);
    const full = memoryBlocks(TOO_LARGE.memory);
    expect(full.free).toBe(0);
    expect(full.over).toBe(TOO_LARGE.memory.total_bytes - TOO_LARGE.memory.capacity_bytes);
  });

  it("has weights of so many bytes each", () => {
    expect(bytesPerWeight(EXAMPLE)).toBeCloseTo(2, 6);
  });
});

describe("the scene", () => {
  it("has a tower a device", () => {
    expect(sceneOf({ ...SHOWN, estimate: LATENT }).towers).toBe(LATENT.deployment.tensor_parallel);
  });

  it("holds the whole budget until a pass is shown, and nothing once released", () => {
    expect(sceneOf(SHOWN).kvBlocksPerRequest).toEqual(Array(8).fill(80));
    expect(sceneOf({ ...SHOWN, at: 0 }).kvBlocksPerRequest[0]).toBe(64);
    const released = sceneOf({ ...SHOWN, at: 2, released: true });
    expect(released.kvBlocksPerRequest[0]).toBe(0);
    expect(released.flows).toEqual({ weights: 0, kv: 0, links: 0 });
  });

  it("lights what limits the pass shown, else decode", () => {
    expect(sceneOf(SHOWN).limiting).toBe("memory");
    expect(sceneOf({ ...SHOWN, at: 0 }).limiting).toBe("compute");
    expect(sceneOf({ ...SHOWN, mode: "training" }).limiting).toBeNull();
    expect(sceneOf({ ...SHOWN, mode: "training" }).flows.weights).toBe(0);
    expect(sceneOf(SHOWN).flows.weights).toBeGreaterThan(0);
  });

  it("has no flow, light or roofline where nothing fits", () => {
    const scene = sceneOf({ ...SHOWN, estimate: TOO_LARGE, walk: { ...WALK, fits: false, passes: [] } });
    expect([scene.fits, scene.limiting, scene.roofline]).toEqual([false, null, null]);
    expect(scene.flows.weights).toBe(0);
  });

  it("knows of training what its stages have shown", () => {
    const at = (trained: number) => sceneOf({ ...SHOWN, mode: "training", training: TRAINING, trained }).training;
    expect(at(0)).toMatchObject({ stage: "examples", losses: [], probabilities: [] });
    expect(at(1)).toMatchObject({ stage: "forward", losses: [], probabilities: [0.5], activations: 8 });
    expect(at(7)).toMatchObject({ stage: "loss", losses: [1, 0.9], probabilities: [0.5, 0.562] });
    expect(at(99)).toMatchObject({ stage: "update", losses: [1, 0.9, 0.8], activations: 0 });
    expect(sceneOf({ ...SHOWN, training: TRAINING }).training).toBeNull();
  });
});

describe("rounds of training", () => {
  it("have five stages each", () => {
    expect(lastStage(3)).toBe(14);
    expect(placeOf(5, 3)).toEqual({ round: 1, stage: "examples", seen: 1, lost: 1 });
    expect(placeOf(9, 3)).toEqual({ round: 1, stage: "update", seen: 2, lost: 2 });
    expect(placeOf(200, 3)).toEqual({ round: 2, stage: "update", seen: 3, lost: 3 });
  });
});
