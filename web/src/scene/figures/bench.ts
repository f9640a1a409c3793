import { Mesh } from "three";
import type { BufferGeometry } from "three";
import { drawTraining } from "../board.ts";
import type { Figure, World } from "../figure.ts";
import { block, fuse, pictured, place, tube } from "../kit.ts";
import { BENCH } from "../layout.ts";
import type { Palette } from "../palette.ts";
import { Picture } from "../picture.ts";
import type { RoomState, TrainingStage } from "../state.ts";
import { stool, table } from "./furniture.ts";

/** The training bench: a screen that plots loss and probability, five lamps for the steps, two trays of examples. */

const STAGES: readonly TrainingStage[] = ["examples", "forward", "loss", "backward", "update"];
const SCREEN = { width: 1.16, height: 0.7, y: BENCH.height + 0.5, z: BENCH.z - 0.16 } as const;

function monitor({ of }: Palette): BufferGeometry[] {
  const { width, height, y, z } = SCREEN;
  return [
    place(block([width + 0.09, height + 0.09, 0.07], 0.03, 2), { at: [BENCH.x, y, z], colour: of("frame") }),
    place(block([0.1, 0.3, 0.06], 0.02), { at: [BENCH.x, BENCH.height + 0.12, z - 0.05], colour: of("steel") }),
    place(block([0.44, 0.03, 0.26], 0.013), { at: [BENCH.x, BENCH.height + 0.018, z], colour: of("steel") }),
    place(block([0.62, 0.035, 0.2], 0.014), {
      at: [BENCH.x - 0.08, BENCH.height + 0.02, BENCH.z + 0.22],
      colour: of("shellLight"),
    }),
    place(block([0.1, 0.035, 0.14], 0.016), {
      at: [BENCH.x + 0.38, BENCH.height + 0.02, BENCH.z + 0.22],
      colour: of("shellLight"),
    }),
  ];
}

/** Examples: what is blue and what is not. */
function examples({ of }: Palette): BufferGeometry[] {
  return [0, 1].flatMap((i) => {
    const x = BENCH.x - 0.76;
    const z = BENCH.z - 0.16 + 0.36 * i;
    const tray = place(block([0.26, 0.04, 0.3], 0.018), { at: [x, BENCH.height + 0.022, z], colour: of("shellLight") });
    const marbles = [-0.06, 0.06].flatMap((dx) =>
      [-0.08, 0.06].map((dz) =>
        place(block([0.09, 0.09, 0.09], 0.044, 2), {
          at: [x + dx, BENCH.height + 0.085, z + dz],
          colour: of(i ? "workspace" : "weights"),
        }),
      ),
    );
    return [tray, ...marbles];
  });
}

function lamps(lit: number, { of }: Palette): BufferGeometry {
  return fuse(
    STAGES.map((_, i) =>
      place(tube(0.045, 0.045, 0.02, 14), {
        at: [BENCH.x + (i - 2) * 0.15, BENCH.height + 0.1, SCREEN.z + 0.1],
        turn: [Math.PI / 2, 0, 0],
        colour: i === lit ? of("accent") : of("free").multiplyScalar(0.5),
      }),
    ),
  );
}

export class Bench implements Figure {
  #world: World;
  #picture = new Picture(896, 540);
  #lamps: Mesh;
  #lit = -1;

  constructor(world: World) {
    this.#world = world;
    const { fixed, palette, root } = world;
    fixed.add(
      "matte",
      ...table(BENCH, palette),
      ...examples(palette),
      ...stool(BENCH.x + 0.1, BENCH.z + 0.75, palette),
    );
    fixed.add("satin", ...monitor(palette));
    const bar = block([0.84, 0.12, 0.05], 0.02);
    fixed.add("satin", place(bar, { at: [BENCH.x, BENCH.height + 0.1, SCREEN.z + 0.07], colour: palette.of("frame") }));
    const screen = pictured(SCREEN.width, SCREEN.height, this.#picture.texture, false);
    screen.position.set(BENCH.x, SCREEN.y, SCREEN.z + 0.041);
    this.#lamps = new Mesh(lamps(-1, palette), world.finish.glow);
    root.add(screen, this.#lamps);
  }

  update({ mode, training }: RoomState): void {
    const { palette } = this.#world;
    this.#picture.draw([training?.losses, training?.probabilities], (ctx, width, height) =>
      drawTraining(ctx, [width, height], training, palette),
    );
    const lit = mode === "training" && training ? STAGES.indexOf(training.stage) : -1;
    if (lit === this.#lit) return;
    this.#lit = lit;
    this.#lamps.geometry.dispose();
    this.#lamps.geometry = lamps(lit, palette);
  }
}
