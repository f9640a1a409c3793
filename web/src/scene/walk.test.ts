import { describe, expect, it } from "vitest";
import { standing } from "./layout.ts";
import { along, rounded, route, ways } from "./route.ts";
import { STATIONS } from "./state.ts";
import { blocked, gait, turned, walkPath } from "./walk.ts";

const VIEWS = [...STATIONS, "overview"] as const;

describe("a walk", () => {
  it("ends where it should and runs into nothing, from every place to every other", () => {
    for (const degree of [1, 2, 4, 8])
      for (const from of VIEWS)
        for (const to of VIEWS) {
          const [start, end] = [standing(from, degree).at, standing(to, degree).at];
          const path = walkPath(start, end);
          expect(path[0]).toEqual(start);
          expect(path.at(-1)).toEqual(end);
          path.slice(1).forEach((spot, i) => {
            expect(blocked(path[i]!, spot), `${from} to ${to}, ${degree}`).toBe(false);
          });
        }
  });

  it("swings opposite limbs against each other, and not at all where one stands", () => {
    const { hips, shoulders } = gait(0.3, 1);
    expect(hips[0]).toBeCloseTo(-hips[1]);
    expect(Math.sign(shoulders[0])).toBe(-Math.sign(hips[0]));
    expect(gait(0.3, 0).hips.map(Math.abs)).toEqual([0, 0]);
    expect(gait(0, 1).hips[0]).toBeCloseTo(gait(1.25, 1).hips[0]);
  });

  it("turns the shorter way round", () => {
    expect(turned(3, -3, 0.1)).toBeCloseTo(3.1);
    expect(turned(0, 1, 0.25)).toBe(0.25);
    expect(turned(0, 0.1, 0.25)).toBe(0.1);
  });
});

describe("a route", () => {
  const corner = [
    { x: 0, y: 0, z: 0 },
    { x: 2, y: 0, z: 0 },
    { x: 2, y: 0, z: 2 },
  ];

  it("rounds its corners and keeps its ends", () => {
    const points = rounded(corner, 0.5);
    expect([points[0], points.at(-1)]).toEqual([corner[0], corner[2]]);
    expect(points).not.toContainEqual(corner[1]);
    expect(route(points).length).toBeLessThan(4);
  });

  it("is followed by the metre", () => {
    const line = route(corner);
    expect(line.length).toBe(4);
    expect(along(line, 1).at).toEqual({ x: 1, y: 0, z: 0 });
    expect(along(line, 3).at).toEqual({ x: 2, y: 0, z: 1 });
    expect(along(line, 3).heading).toBeCloseTo(0);
    expect(along(line, 1).heading).toBeCloseTo(Math.PI / 2);
    expect(along(line, 99).at).toEqual(corner[2]);
  });

  it("leads to the first and the last tower, and along all of them", () => {
    for (const degree of [1, 2, 8]) {
      const { weights, kv, links } = ways(degree);
      expect(weights.at(-1)!.x).toBeLessThanOrEqual(kv.at(-1)!.x);
      expect(links[1]!.x - links[0]!.x).toBeGreaterThanOrEqual(degree > 1 ? 1 : 0);
    }
  });
});
