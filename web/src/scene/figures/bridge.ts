import type { Fixed } from "../figure.ts";
import { block, place } from "../kit.ts";
import { RAIL_AT, ROW } from "../layout.ts";
import type { TowerPlace } from "../layout.ts";
import type { Palette } from "../palette.ts";

/** The bridge between towers: one rail along their backs with a plug into each; a lone tower has a capped stub. */

const RAIL = RAIL_AT;

export function railEnds(places: readonly TowerPlace[]): [number, number] {
  const [first, last] = [places[0]!, places.at(-1)!];
  return places.length > 1 ? [first.x, last.x] : [first.x - first.width * 0.12, first.x + first.width * 0.12];
}

export function rail(fixed: Fixed, places: readonly TowerPlace[], { of }: Palette, lit: boolean): void {
  const [from, to] = railEnds(places);
  const middle = (from + to) / 2;
  const colour = of("communication").multiplyScalar(places.length < 2 ? 0.2 : lit ? 1 : 0.55);
  fixed.add(
    "satin",
    place(block([to - from + 0.3, 0.18, 0.26], 0.07, 2), { at: [middle, RAIL.y, RAIL.z], colour: of("shellLight") }),
  );
  fixed.add(
    "glow",
    place(block([to - from + 0.12, 0.035, 0.02], 0.008), { at: [middle, RAIL.y, RAIL.z + 0.131], colour }),
  );
  for (const { x, width } of places) {
    const plug = Math.min(0.34, width * 0.5);
    fixed.add(
      "satin",
      place(block([plug, 0.34, 0.16], 0.03), { at: [x, ROW.height + 0.2, RAIL.z], colour: of("shell") }),
      place(block([plug * 0.8, 0.05, 0.18], 0.015), { at: [x, ROW.height + 0.12, RAIL.z], colour: of("gold") }),
    );
  }
}
