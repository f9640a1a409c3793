import type { BufferGeometry } from "three";
import { block, place } from "../kit.ts";
import type { Palette } from "../palette.ts";

export interface Table {
  x: number;
  z: number;
  width: number;
  depth: number;
  height: number;
}

/** A wooden top on steel legs: the one table of the room. */
export function table({ x, z, width, depth, height }: Table, { of }: Palette): BufferGeometry[] {
  const legs = [-1, 1].flatMap((side) => [
    ...[-1, 1].map((end) =>
      place(block([0.06, height - 0.06, 0.06], 0.02), {
        at: [x + side * (width / 2 - 0.12), (height - 0.06) / 2, z + end * (depth / 2 - 0.1)],
        colour: of("frame"),
      }),
    ),
    place(block([0.05, 0.05, depth - 0.2], 0.02), {
      at: [x + side * (width / 2 - 0.12), 0.14, z],
      colour: of("frame"),
    }),
  ]);
  const top = place(block([width, 0.07, depth], 0.03, 2), { at: [x, height - 0.035, z], colour: of("wood") });
  return [top, ...legs];
}

/** Something to sit on. */
export function stool(x: number, z: number, { of }: Palette): BufferGeometry[] {
  const seat = place(block([0.4, 0.08, 0.36], 0.038, 2), { at: [x, 0.5, z], colour: of("cloth") });
  const foot = (turn: number) =>
    place(block([0.42, 0.035, 0.06], 0.015), { at: [x, 0.035, z], turn: [0, turn, 0], colour: of("frame") });
  return [
    seat,
    place(block([0.06, 0.44, 0.06], 0.02), { at: [x, 0.26, z], colour: of("steel") }),
    foot(0.5),
    foot(2.07),
  ];
}
