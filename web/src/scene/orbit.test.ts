import { describe, expect, it } from "vitest";
import type { Spot } from "./layout.ts";
import { viewBox } from "./layout.ts";
import { direction, ease, eye, FOV, framing, limited, LIMITS, mixOrbits } from "./orbit.ts";
import type { Orbit } from "./orbit.ts";
import { STATIONS } from "./state.ts";

/** Where a spot is in the picture, from −1 to 1 in both directions: the long way, by components. */
function seen(orbit: Orbit, aspect: number, spot: Spot): [number, number] {
  const from = eye(orbit);
  const forward = direction(orbit);
  const right = { x: Math.cos(orbit.azimuth), y: 0, z: -Math.sin(orbit.azimuth) };
  const up = {
    x: forward.y * right.z - forward.z * right.y,
    y: forward.z * right.x - forward.x * right.z,
    z: forward.x * right.y - forward.y * right.x,
  };
  const way = { x: spot.x - from.x, y: spot.y - from.y, z: spot.z - from.z };
  const dot = (a: Spot) => way.x * a.x + way.y * a.y + way.z * a.z;
  const depth = -dot(forward);
  expect(depth).toBeGreaterThan(0);
  const slope = Math.tan(FOV / 2);
  return [dot(right) / (depth * slope * aspect), dot(up) / (depth * slope)];
}

describe("framing", () => {
  const angles = { azimuth: 0.4, elevation: 0.35 };

  it.each([0.6, 1, 1.9, 2.6])("shows every corner of every view, with its margin, at the aspect %d", (aspect) => {
    for (const view of [...STATIONS, "overview"] as const)
      for (const degree of [1, 8]) {
        const { min, max } = viewBox(view, degree);
        const orbit = framing({ min, max }, angles, aspect, 0.05);
        const corners = [min.x, max.x].flatMap((x) =>
          [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => seen(orbit, aspect, { x, y, z }))),
        );
        const most = Math.max(...corners.flat().map(Math.abs));
        // Within the margins, and not further away than they ask for.
        expect(most).toBeLessThanOrEqual(0.9 + 1e-9);
        expect(most).toBeGreaterThan(0.9 - 1e-6);
      }
  });

  it("looks from where it was told to", () => {
    expect(framing(viewBox("training", 1), angles, 2)).toMatchObject(angles);
  });
});

describe("an orbit", () => {
  const orbit: Orbit = { target: { x: 0, y: 1, z: 0 }, azimuth: 0, elevation: 0.3, distance: 10 };

  it("stays before the walls, above the floor and within reach", () => {
    const far = limited({ ...orbit, azimuth: 9, elevation: -9, distance: 1e6 });
    expect([far.azimuth, far.elevation, far.distance]).toEqual([
      LIMITS.azimuth[1],
      LIMITS.elevation[0],
      LIMITS.distance[1],
    ]);
    expect(limited(orbit)).toEqual(orbit);
  });

  it("eases from one to another", () => {
    const other = { ...orbit, azimuth: 1, distance: 4 };
    expect(mixOrbits(orbit, other, ease(0))).toEqual(orbit);
    expect(mixOrbits(orbit, other, ease(1))).toEqual(other);
    expect(ease(0.5)).toBeCloseTo(0.5);
    expect(ease(0.1)).toBeLessThan(0.05);
    expect(ease(7)).toBe(1);
  });
});
