import { describe, expect, it } from "vitest";
import type { RoomState } from "./state.ts";
import { patch, whatStands } from "./still.ts";

const LABEL = { title: "", figure: "" };
const STATE: RoomState = {
  theme: "dark",
  mode: "inference",
  station: null,
  towers: 2,
  memory: null,
  fits: true,
  bytesPerWeight: 2,
  batch: 4,
  kvBlocksPerRequest: [64, 64, 64, 64],
  flows: { weights: 12, kv: 9, links: 0 },
  limiting: "memory",
  roofline: null,
  training: null,
  action: { kind: "request", step: 3, of: 9 },
  labels: { weights: LABEL, compute: LABEL, memory: LABEL, interconnect: LABEL, training: LABEL },
};

describe("what stands", () => {
  it.each<[string, Partial<RoomState>]>([
    ["a pass of a run", { action: { kind: "request", step: 4, of: 9 }, kvBlocksPerRequest: [72, 72, 72, 72] }],
    ["more dots on a path", { flows: { weights: 12, kv: 10, links: 0 } }],
    ["a figure on a label", { labels: { ...STATE.labels, memory: { title: "", figure: "3 GB" } } }],
  ])("stays through %s", (_, change) => {
    expect(whatStands({ ...STATE, ...change })).toBe(whatStands(STATE));
  });

  it.each<[string, Partial<RoomState>]>([
    ["the end of a run", { action: null }],
    ["blocks that are given back", { kvBlocksPerRequest: [0, 0, 0, 0] }],
    ["a row that grows by what is drawn of it", { kvBlocksPerRequest: [11, 12, 12, 12] }],
    ["a tray that is less full than the others", { kvBlocksPerRequest: [64, 64, 64, 32] }],
    ["a path that nothing flows on any more", { flows: { weights: 12, kv: 0, links: 0 } }],
    ["another limit", { limiting: "compute" }],
    ["a tower more", { towers: 4 }],
    ["the other theme", { theme: "light" }],
    ["a step of training", { training: { losses: [1], probabilities: [0.5], stage: "loss", activations: 8 } }],
  ])("changes with %s", (_, change) => {
    expect(whatStands({ ...STATE, ...change })).not.toBe(whatStands(STATE));
  });
});

describe("the patch that a thing covers", () => {
  const SIZE = [200, 100] as const;

  it("lies around its middle and holds all of it, with a little to spare", () => {
    const { left, low, right, high } = patch(0, 0, 0.2, SIZE)!;
    expect([left + right, low + high]).toEqual([200, 100]);
    expect(right - left).toBe(high - low);
    expect(right - left).toBeGreaterThanOrEqual(20 + 2);
    expect(right - left).toBeLessThan(40);
  });

  it("ends where the picture ends", () => {
    const at = patch(-1, 1, 0.2, SIZE)!;
    expect([at.left, at.high]).toEqual([0, 100]);
    expect(at.right).toBeGreaterThan(10);
    expect(at.low).toBeLessThan(90);
  });

  it("is none outside of the picture", () => {
    expect(patch(1.5, 0, 0.1, SIZE)).toBeNull();
    expect(patch(0, -1.5, 0.1, SIZE)).toBeNull();
  });
});
