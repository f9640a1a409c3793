import type { Box, Spot } from "./layout.ts";

/** The camera on a sphere around what it looks at: pure. Angles in radians; azimuth 0 looks from the open front. */

export interface Orbit {
  target: Spot;
  azimuth: number;
  elevation: number;
  distance: number;
}

/** The two walls stay behind what is shown, and the floor below. */
export const LIMITS = {
  azimuth: [-0.28, 1.18],
  elevation: [0.08, 1.2],
  distance: [2.2, 26],
} as const;

/** Vertical opening of the lens. */
export const FOV = (30 * Math.PI) / 180;

function within(value: number, [low, high]: readonly [number, number]): number {
  return Math.min(high, Math.max(low, value));
}

export function limited(orbit: Orbit): Orbit {
  return {
    target: orbit.target,
    azimuth: within(orbit.azimuth, LIMITS.azimuth),
    elevation: within(orbit.elevation, LIMITS.elevation),
    distance: within(orbit.distance, LIMITS.distance),
  };
}

/** Unit vector from the target to the camera. */
export function direction({ azimuth, elevation }: Orbit): Spot {
  const flat = Math.cos(elevation);
  return { x: flat * Math.sin(azimuth), y: Math.sin(elevation), z: flat * Math.cos(azimuth) };
}

export function eye(orbit: Orbit): Spot {
  const { x, y, z } = direction(orbit);
  const { target, distance } = orbit;
  return { x: target.x + distance * x, y: target.y + distance * y, z: target.z + distance * z };
}

function corners({ min, max }: Box): Spot[] {
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => ({ x, y, z }))));
}

const dot = (a: Spot, b: Spot): number => a.x * b.x + a.y * b.y + a.z * b.z;

/** The orbit from these angles that shows the whole box with `margin` of the picture free at each side. */
export function framing(
  box: Box,
  angles: { azimuth: number; elevation: number },
  aspect: number,
  margin = 0.06,
): Orbit {
  const forward = direction({ ...angles, target: box.min, distance: 1 });
  const right = { x: Math.cos(angles.azimuth), y: 0, z: -Math.sin(angles.azimuth) };
  const up = {
    x: -Math.sin(angles.elevation) * Math.sin(angles.azimuth),
    y: Math.cos(angles.elevation),
    z: -Math.sin(angles.elevation) * Math.cos(angles.azimuth),
  };
  const tall = Math.tan(FOV / 2) * (1 - 2 * margin);
  const wide = tall * aspect;
  const all = corners(box);
  // A plane of the view through the outermost corner, for each of the four sides: where two meet is the lens.
  const reach = (side: Spot, slope: number, sign: 1 | -1): number =>
    Math.max(...all.map((corner) => sign * dot(corner, side) + slope * dot(corner, forward)));
  const [east, west] = [reach(right, wide, 1), reach(right, wide, -1)];
  const [north, south] = [reach(up, tall, 1), reach(up, tall, -1)];
  const depth = Math.max((east + west) / (2 * wide), (north + south) / (2 * tall));
  const [across, above] = [(east - west) / 2, (north - south) / 2];
  const middle = (dot(box.min, forward) + dot(box.max, forward)) / 2;
  const target = {
    x: across * right.x + above * up.x + middle * forward.x,
    y: across * right.y + above * up.y + middle * forward.y,
    z: across * right.z + above * up.z + middle * forward.z,
  };
  return { target, ...angles, distance: depth - middle };
}

const mixed = (a: number, b: number, t: number): number => a + (b - a) * t;

export function mixSpots(a: Spot, b: Spot, t: number): Spot {
  return { x: mixed(a.x, b.x, t), y: mixed(a.y, b.y, t), z: mixed(a.z, b.z, t) };
}

export function mixOrbits(a: Orbit, b: Orbit, t: number): Orbit {
  return {
    target: mixSpots(a.target, b.target, t),
    azimuth: mixed(a.azimuth, b.azimuth, t),
    elevation: mixed(a.elevation, b.elevation, t),
    distance: mixed(a.distance, b.distance, t),
  };
}

/** Slow, fast, slow. */
export function ease(t: number): number {
  const s = Math.min(1, Math.max(0, t));
  return s * s * s * (s * (6 * s - 15) + 10);
}
