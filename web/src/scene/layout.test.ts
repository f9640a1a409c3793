import { describe, expect, it } from "vitest";
import {
  BLOCK_COUNT,
  blockParts,
  cardCount,
  drawerCount,
  hit,
  magnified,
  MOST_OVER,
  ROOM,
  share,
  standing,
  targets,
  towerPlaces,
  trayFill,
  viewBox,
} from "./layout.ts";
import type { Part } from "./layout.ts";
import type { MemoryBlocks } from "./state.ts";
import { STATIONS } from "./state.ts";

const GB = 1e9;

function memory(parts: Partial<MemoryBlocks>): MemoryBlocks {
  return { weights: 0, kv: 0, workspace: 0, reserve: 0, free: 0, capacity: 80 * GB, over: 0, ...parts };
}

function counted(parts: readonly Part[]): Partial<Record<Part, number>> {
  return parts.reduce<Partial<Record<Part, number>>>((all, part) => ({ ...all, [part]: (all[part] ?? 0) + 1 }), {});
}

describe("towers", () => {
  it("stand one for each device, up to eight", () => {
    expect([1, 2, 4, 8, 16, 0, Number.NaN].map((degree) => towerPlaces(degree).length)).toEqual([1, 2, 4, 8, 8, 1, 1]);
  });

  it.each([1, 2, 3, 4, 6, 8])("have room between them and within the room: %i", (degree) => {
    const places = towerPlaces(degree);
    places.slice(1).forEach((place, i) => {
      expect(place.x - places[i]!.x).toBeGreaterThan(place.width);
    });
    expect(places[0]!.x - places[0]!.width / 2).toBeGreaterThan(ROOM.left + 2);
    expect(places.at(-1)!.x + places.at(-1)!.width / 2).toBeLessThan(3.4);
  });
});

describe("memory as blocks", () => {
  it("is a fortieth of the capacity a block", () => {
    const parts = blockParts(
      memory({ weights: 16 * GB, kv: 32 * GB, workspace: 2 * GB, reserve: 4 * GB, free: 26 * GB }),
    );
    expect(counted(parts)).toEqual({ weights: 8, kv: 16, workspace: 1, reserve: 2, free: 13 });
    expect(parts.slice(0, 8)).toEqual(Array<Part>(8).fill("weights"));
  });

  it("shows what is there, however little, and never more than the device holds", () => {
    const parts = blockParts(memory({ weights: 79.9 * GB, kv: 1, workspace: 1, reserve: 1 }));
    expect(counted(parts)).toEqual({ weights: 37, kv: 1, workspace: 1, reserve: 1 });
    expect(parts).toHaveLength(BLOCK_COUNT);
  });

  it("goes beyond the capacity where it does not fit, by one block at least", () => {
    const little = blockParts(memory({ weights: 80 * GB + 1, over: 1 }));
    expect(little).toHaveLength(BLOCK_COUNT + 1);
    const much = blockParts(memory({ weights: 1e15, kv: 20 * GB, over: 1e15 }));
    expect(much).toHaveLength(BLOCK_COUNT + MOST_OVER);
    expect(blockParts(memory({ weights: 100 * GB, kv: 20 * GB, over: 40 * GB }))).toHaveLength(60);
  });

  it("is empty for a device without memory", () => {
    expect(counted(blockParts(memory({ capacity: 0 })))).toEqual({ free: BLOCK_COUNT });
  });

  it("shares by largest remainders", () => {
    expect(share([1, 1, 1], 10)).toEqual([4, 3, 3]);
    expect(share([0, 5, 0], 3)).toEqual([0, 3, 0]);
    expect(share([1, 1, 1], 2)).toEqual([1, 1, 1]);
    expect(share([0, 0], 4)).toEqual([0, 0]);
  });
});

describe("the rack, the desk and the shelf", () => {
  it("halves its drawers with the bits", () => {
    expect([4, 2, 1, 0.5, 0.01, 100].map(drawerCount)).toEqual([16, 8, 4, 2, 1, 16]);
  });

  it("queues a card a request, up to sixteen", () => {
    expect([0, 1, 16, 500].map(cardCount)).toEqual([0, 1, 16, 16]);
  });

  it("cuts a long row and says by how much", () => {
    expect(magnified([513, 3, 0])).toEqual([
      { drawn: 12, more: 501 },
      { drawn: 3, more: 0 },
      { drawn: 0, more: 0 },
    ]);
    expect(magnified(Array<number>(20).fill(1))).toHaveLength(8);
  });

  it("fills a tray a request, in proportion to the fullest", () => {
    expect(trayFill(4, [60, 30, 1, 0])).toEqual([6, 3, 1, 0]);
    expect(trayFill(3, [60])).toEqual([6, 6, 6]);
    expect(trayFill(500, [1])).toHaveLength(16);
    expect(trayFill(2, [])).toEqual([0, 0]);
  });
});

describe("stations", () => {
  const degrees = [1, 2, 4, 8];

  it("are each hit by a ray at their middle, from the front", () => {
    for (const degree of degrees)
      for (const { station, box } of targets(degree)) {
        const middle = { x: (box.min.x + box.max.x) / 2, y: (box.min.y + box.max.y) / 2, z: box.max.z };
        expect(hit({ ...middle, z: middle.z + 0.01 }, { x: 0, y: 0, z: -1 }, degree)).toBe(station);
      }
    expect(hit({ x: 0, y: 9, z: 0 }, { x: 0, y: 1, z: 0 }, 1)).toBeNull();
  });

  it("are looked at from within the room, outside of what they are", () => {
    for (const degree of degrees)
      for (const view of [...STATIONS, "overview"] as const) {
        const { at } = standing(view, degree);
        expect(at.x).toBeGreaterThan(ROOM.left + 0.3);
        expect(at.x).toBeLessThan(ROOM.right - 0.3);
        if (view === "overview") continue;
        const { min, max } = viewBox(view, degree);
        const within = at.x > min.x && at.x < max.x && at.z > min.z && at.z < max.z;
        expect(within, `${view} ${degree}`).toBe(false);
      }
  });
});
