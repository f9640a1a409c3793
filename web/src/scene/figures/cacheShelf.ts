import type { BufferGeometry } from "three";
import type { Figure, World } from "../figure.ts";
import { block, Crowd, fuse, place } from "../kit.ts";
import type { Pose } from "../kit.ts";
import { SHELF, trayFill, TRAYS } from "../layout.ts";
import type { Palette } from "../palette.ts";
import type { RoomState } from "../state.ts";

/** The shelf of the cache: a tray for each request, filled with its blocks. */

const BOARDS = 4;
const BASE = 0.28;
const GAP = (SHELF.height - BASE - 0.14) / BOARDS;
const TRAY = (SHELF.width - 0.2) / TRAYS.columns;

function frame({ of }: Palette): BufferGeometry[] {
  const { x, z, width, height, depth } = SHELF;
  const side = (at: -1 | 1) =>
    place(block([0.07, height, depth], 0.025), {
      at: [x + (at * (width - 0.07)) / 2, height / 2, z],
      colour: of("wood"),
    });
  const boards = Array.from({ length: BOARDS + 1 }, (_, i) =>
    place(block([width - 0.06, 0.05, depth], 0.02), { at: [x, BASE - 0.03 + i * GAP, z], colour: of("wood") }),
  );
  const back = place(block([width - 0.08, height - 0.2, 0.03], 0.01), {
    at: [x, height / 2, z - depth / 2 + 0.03],
    colour: of("shell"),
  });
  return [side(-1), side(1), back, ...boards];
}

function traySpot(i: number): [number, number, number] {
  const [board, column] = [BOARDS - 1 - Math.floor(i / TRAYS.columns), i % TRAYS.columns];
  const x = SHELF.x + (column - (TRAYS.columns - 1) / 2) * TRAY;
  return [x, BASE + board * GAP, SHELF.z + 0.03];
}

function tray({ of }: Palette): BufferGeometry {
  const [w, d] = [TRAY - 0.05, SHELF.depth - 0.14];
  const colour = of("shellLight");
  return fuse([
    place(block([w, 0.03, d], 0.012), { at: [0, 0.02, 0], colour }),
    place(block([w, 0.1, 0.025], 0.01), { at: [0, 0.055, d / 2], colour }),
    place(block([0.025, 0.1, d], 0.01), { at: [-w / 2, 0.055, 0], colour }),
    place(block([0.025, 0.1, d], 0.01), { at: [w / 2, 0.055, 0], colour }),
  ]);
}

/** Blocks stand in two rows in a tray. */
function blocks(state: RoomState, { of }: Palette): Pose[] {
  const training = state.mode === "training";
  const fill = training ? [] : trayFill(state.batch, state.kvBlocksPerRequest);
  return fill.flatMap((count, i) => {
    const [x, y, z] = traySpot(i);
    return Array.from({ length: count }, (_, k): Pose => {
      const [across, up] = [k % 3, Math.floor(k / 3)];
      return { at: [x + (across - 1) * 0.085, y + 0.1 + up * 0.125, z], colour: of("kv") };
    });
  });
}

export function cacheShelf(world: World): Figure {
  const { root, fixed, finish, palette } = world;
  fixed.add("matte", ...frame(palette));
  const trays = Array.from({ length: TRAYS.most }, (_, i) => place(tray(palette), { at: traySpot(i) }));
  fixed.add("matte", ...trays);
  const white = palette.of("surface").setRGB(1, 1, 1);
  const stood = new Crowd(
    place(block([0.07, 0.11, 0.26], 0.02), { at: [0, 0, 0], colour: white }),
    finish.matte,
    6 * TRAYS.most,
  );
  stood.mesh.castShadow = stood.mesh.receiveShadow = true;
  root.add(stood.mesh);
  return {
    update(state) {
      stood.show(blocks(state, palette));
      world.shadowsDue = true;
    },
  };
}
