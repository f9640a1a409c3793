import { describe, expect, it } from "vitest";
import type { RoomState } from "../scene/state.ts";
import { EXAMPLE, LATENT, TOO_LARGE } from "../testing/answers.ts";
import { sceneOf } from "../state/room/scene.ts";
import { board, plan } from "./roomplan.ts";

const SHOWN = {
  theme: "dark",
  mode: "inference",
  station: null,
  walk: null,
  at: null,
  released: false,
  training: null,
  trained: 0,
  action: null,
} as const;

const scene = (estimate = EXAMPLE, changes: Partial<RoomState> = {}): RoomState => ({
  ...sceneOf({ ...SHOWN, estimate }),
  ...changes,
});

const parts = (state: RoomState) => plan(state, 800, 320, 80).towers[0]!;

describe("the flat drawing", () => {
  it("stacks memory from the floor up, each part at its true size", () => {
    const { slabs, height, y } = parts(scene());
    expect(slabs.map(({ part }) => part)).toEqual(["weights", "kv_cache", "workspace", "reserve", "free"]);
    const weights = slabs[0]!;
    expect(weights.height / height).toBeCloseTo(EXAMPLE.memory.weights_bytes / EXAMPLE.memory.capacity_bytes, 9);
    expect(slabs.at(-1)!.y).toBeCloseTo(y, 6);
  });

  it("shows what is too much above the end of the memory", () => {
    const { slabs, capacityY, y, height } = parts(scene(TOO_LARGE));
    const { total_bytes, capacity_bytes } = TOO_LARGE.memory;
    const over = slabs.at(-1)!;
    expect(over.part).toBe("over");
    expect(over.height / height).toBeCloseTo(1 - capacity_bytes / total_bytes, 9);
    expect(capacityY).toBeCloseTo(y + over.height, 6);
  });

  it("has as many towers as devices, side by side, up to eight", () => {
    const eight = plan(scene(LATENT), 800, 320, 80).towers;
    expect(eight).toHaveLength(8);
    eight.slice(1).forEach((tower, i) => expect(tower.x).toBeGreaterThan(eight[i]!.x + eight[i]!.width));
    expect(plan(scene(EXAMPLE, { towers: 16 }), 800, 320, 80).towers).toHaveLength(8);
  });

  it("has a rack that halves with the bytes of a weight", () => {
    const at = (bytesPerWeight: number) => plan(scene(EXAMPLE, { bytesPerWeight }), 800, 320, 80).drawers.length;
    expect([4, 2, 1.05, 0.525].map(at)).toEqual([12, 6, 3, 2]);
  });

  it("fills a column of blocks a request, in proportion to the budget", () => {
    const at = (blocks: number) => plan(scene(EXAMPLE, { kvBlocksPerRequest: [blocks, blocks] }), 800, 320, 80);
    expect(at(80).blocks).toHaveLength(2 * 12);
    expect(at(40).blocks).toHaveLength(2 * 6);
    expect(at(0).blocks).toHaveLength(0);
    expect(at(80).more).toBe(7);
  });

  it("draws the roof through its knee, and no point above it", () => {
    const box = { x: 0, y: 0, width: 120, height: 100 };
    const { roof, points } = board(scene().roofline, box);
    const [[, startY], [kneeX, kneeY], [, endY]] = roof
      .slice(1)
      .split("L")
      .map((pair) => pair.split(" ").map(Number)) as [number[], number[], number[]];
    expect(kneeY).toBe(endY);
    expect(startY).toBeGreaterThan(kneeY!);
    for (const { x, y } of points) {
      expect(y).toBeGreaterThanOrEqual(kneeY! - 0.1);
      expect(x).toBeGreaterThan(0);
    }
    expect(points.some(({ x }) => x > kneeX!)).toBe(true);
    expect(board(null, box)).toEqual({ roof: "", points: [] });
  });

  it("stays inside its frame at every width", () => {
    for (const width of [300, 560, 1200]) {
      const { rack, board, bench, towers } = plan(scene(LATENT), width, 260, 80);
      for (const box of [rack, board, bench, ...towers]) {
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.width).toBeGreaterThan(0);
        expect(box.x + box.width).toBeLessThanOrEqual(width);
        expect(box.y + box.height).toBeLessThanOrEqual(260);
      }
    }
  });
});
