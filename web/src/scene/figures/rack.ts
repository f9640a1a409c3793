import type { BufferGeometry } from "three";
import type { Figure, World } from "../figure.ts";
import { Glide } from "../glide.ts";
import { block, Crowd, fuse, place } from "../kit.ts";
import type { Pose } from "../kit.ts";
import { drawerCount, MOST_DRAWERS, RACK } from "../layout.ts";
import type { Palette } from "../palette.ts";

/** The rack of weights: its drawers are what a weight takes, so half the bits are half the drawers. */

const COLUMNS = 2;
const ROWS = MOST_DRAWERS / COLUMNS;
const BASE = 0.16;
const PITCH = (RACK.height - BASE - 0.1) / ROWS;

function frame({ of }: Palette): BufferGeometry[] {
  const { x, z, width, length, height } = RACK;
  const posts = [-1, 0, 1].flatMap((side) =>
    [-1, 1].map((face) =>
      place(block([0.07, height, 0.07], 0.02), {
        at: [x + (face * (width - 0.07)) / 2, height / 2, z + (side * (length - 0.07)) / 2],
        colour: of("shellLight"),
      }),
    ),
  );
  const boards = Array.from({ length: ROWS + 1 }, (_, row) =>
    place(block([width - 0.04, 0.025, length - 0.04], 0.01), { at: [x, BASE + row * PITCH, z], colour: of("shell") }),
  );
  const back = place(block([0.04, height - BASE, length - 0.1], 0.01), {
    at: [x - width / 2 + 0.05, (height + BASE) / 2, z],
    colour: of("frame"),
  });
  const foot = place(block([width, 0.1, length], 0.03), { at: [x, 0.06, z], colour: of("frame") });
  return [...posts, ...boards, back, foot];
}

/** A drawer with a label and a handle; painted white where it takes the colour of weights. */
function drawer({ of }: Palette): BufferGeometry {
  const [depth, height, width] = [RACK.width - 0.14, PITCH - 0.055, RACK.length / COLUMNS - 0.13];
  const white = of("surface").setRGB(1, 1, 1);
  return fuse([
    place(block([depth, height, width], 0.03), { at: [0, 0, 0], colour: white }),
    place(block([0.05, 0.035, width * 0.36], 0.015), {
      at: [depth / 2 + 0.015, -height * 0.16, 0],
      colour: of("frame"),
    }),
    place(block([0.012, height * 0.3, width * 0.5], 0.005), {
      at: [depth / 2 + 0.004, height * 0.2, 0],
      colour: of("paper"),
    }),
  ]);
}

export function rack(world: World): Figure {
  const { root, fixed, finish, palette } = world;
  fixed.add("satin", ...frame(palette));
  const drawers = new Crowd(drawer(palette), finish.matte, MOST_DRAWERS);
  drawers.mesh.castShadow = drawers.mesh.receiveShadow = true;
  root.add(drawers.mesh);
  const there = new Glide();
  let due = true;
  return {
    update({ bytesPerWeight }) {
      const count = drawerCount(bytesPerWeight);
      there.aim(Array.from({ length: MOST_DRAWERS }, (_, i) => (i < count ? 1 : 0)));
      due = true;
    },
    step(elapsed) {
      if (!due) return false;
      due = there.step(elapsed, !world.motion);
      drawers.show(poses(there.values, palette));
      world.shadowsDue = true;
      return due;
    },
  };
}

/** A drawer that leaves is pulled out and fades into nothing. */
function poses(there: readonly number[], { of }: Palette): Pose[] {
  return there.flatMap((share, i): Pose[] => {
    if (share <= 0) return [];
    const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
    const z = RACK.z + (column - (COLUMNS - 1) / 2) * (RACK.length / COLUMNS - 0.03);
    const size = Math.sqrt(share);
    return [
      {
        at: [RACK.x + 0.05 + 0.6 * (1 - share), BASE + (row + 0.5) * PITCH, z],
        size: [size, size, size],
        colour: of("weights"),
      },
    ];
  });
}
