import { Mesh, MeshBasicMaterial, PlaneGeometry } from "three";
import type { BufferGeometry } from "three";
import type { Figure, World } from "../figure.ts";
import { Glide } from "../glide.ts";
import { block, Crowd, fuse, place } from "../kit.ts";
import type { Pose } from "../kit.ts";
import { MAGNIFIED, magnified, WORKBENCH } from "../layout.ts";
import { font, Picture } from "../picture.ts";
import type { Palette } from "../palette.ts";
import type { RoomState } from "../state.ts";
import { AFLOAT } from "../still.ts";
import { table } from "./furniture.ts";

/** Memory magnified above a bench: a row a request, a cell a block; in training what the forward pass leaves behind. */

const { rows: ROWS, columns: COLUMNS } = MAGNIFIED;
const CELL = { width: 0.128, height: 0.118 } as const;
const LEAN = -0.2;
const MIDDLE = { x: WORKBENCH.x - 0.16, y: 1.52, z: WORKBENCH.z - 0.05 } as const;
/** To the right of the cells there is room for a number. */
const NUMBERS = 0.34;
const PANEL = { width: COLUMNS * CELL.width + 0.14, height: ROWS * CELL.height + 0.14 } as const;

/** A spot on the leaning panel. */
function onPanel(x: number, y: number, lift: number): [number, number, number] {
  const [sin, cos] = [Math.sin(LEAN), Math.cos(LEAN)];
  return [MIDDLE.x + x, MIDDLE.y + y * cos - lift * sin, MIDDLE.z + y * sin + lift * cos];
}

function cell(i: number, lift: number): [number, number, number] {
  const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
  return onPanel((column - (COLUMNS - 1) / 2) * CELL.width, ((ROWS - 1) / 2 - row) * CELL.height, lift);
}

function holder({ of }: Palette): BufferGeometry[] {
  const frameAt = (x: number, y: number, w: number, h: number) => {
    const shape = block([w, h, 0.05], 0.02);
    return place(shape, { at: onPanel(x, y, -0.01), turn: [LEAN, 0, 0], colour: of("shellLight") });
  };
  const { width, height } = PANEL;
  const stand = (x: number) =>
    place(block([0.05, 0.34, 0.05], 0.02), {
      at: [MIDDLE.x + x, WORKBENCH.height + 0.12, MIDDLE.z + 0.1],
      colour: of("steel"),
    });
  return [
    frameAt(NUMBERS / 2, height / 2, width + NUMBERS + 0.05, 0.05),
    frameAt(NUMBERS / 2, -height / 2, width + NUMBERS + 0.05, 0.05),
    frameAt(-width / 2, 0, 0.05, height),
    frameAt(width / 2 + NUMBERS, 0, 0.05, height),
    place(block([width + NUMBERS, height, 0.02], 0.01), {
      at: onPanel(NUMBERS / 2, 0, -0.03),
      turn: [LEAN, 0, 0],
      colour: of("frame"),
    }),
    stand(-0.6),
    stand(0.6),
  ];
}

/** How many cells of each row are filled. */
function filled(state: RoomState): number[] {
  if (state.mode !== "training") return magnified(state.kvBlocksPerRequest).map(({ drawn }) => drawn);
  const kept = state.training?.activations ?? 0;
  return Array.from({ length: ROWS }, (_, row) => (row < kept ? COLUMNS : 0));
}

/** What each row has beyond its cells. */
function beyond(state: RoomState): string[] {
  if (state.mode === "training") return [];
  return magnified(state.kvBlocksPerRequest).map(({ more }) => (more ? `+${more.toLocaleString("en-US")}` : ""));
}

export class Workbench implements Figure {
  #world: World;
  #cells: Crowd;
  #slots: Crowd;
  #there = new Glide(300);
  #more = new Picture(160, 512);
  #due = true;
  #training = false;

  constructor(world: World) {
    this.#world = world;
    const { fixed, finish, palette, root } = world;
    fixed.add("matte", ...table(WORKBENCH, palette));
    fixed.add("satin", ...holder(palette));
    const white = palette.of("surface").setRGB(1, 1, 1);
    const dark = palette.of("surface").setRGB(0.45, 0.45, 0.45);
    const [w, h] = [CELL.width * 0.84, CELL.height * 0.8];
    const body = fuse([
      place(block([w, h, 0.1], 0.022), { at: [0, 0, 0], colour: white }),
      ...[-0.2, 0.2].map((x) => place(block([w * 0.1, h * 0.6, 0.012], 0.004), { at: [x * w, 0, 0.05], colour: dark })),
    ]);
    this.#cells = new Crowd(body, finish.matte, ROWS * COLUMNS);
    this.#slots = new Crowd(
      place(block([w, h, 0.02], 0.008), { at: [0, 0, 0], colour: white }),
      finish.matte,
      ROWS * COLUMNS,
    );
    this.#cells.mesh.castShadow = true;
    root.add(this.#cells.mesh, this.#slots.mesh, this.#numbers());
  }

  update(state: RoomState): void {
    this.#training = state.mode === "training";
    const rows = filled(state);
    const goals = Array.from({ length: ROWS * COLUMNS }, (_, i) =>
      i % COLUMNS < (rows[Math.floor(i / COLUMNS)] ?? 0) ? 1 : 0,
    );
    this.#there.aim(goals);
    this.#due = true;
    const said = beyond(state);
    this.#more.draw(said, (ctx, width, height) => {
      ctx.fillStyle = this.#world.palette.css.paper;
      ctx.font = font(56, 650);
      ctx.textBaseline = "middle";
      said.forEach((text, row) => ctx.fillText(text, 4, ((row + 0.5) * height) / ROWS, width - 8));
    });
  }

  step(elapsed: number): boolean {
    if (!this.#due) return false;
    this.#due = this.#there.step(elapsed, !this.#world.motion);
    const { of } = this.#world.palette;
    const [full, empty] = [of(this.#training ? "workspace" : "kv"), of("shell")];
    const turn = [LEAN, 0, 0] as const;
    const cells = this.#there.values.flatMap((share, i): Pose[] =>
      share > 0 ? [{ at: cell(i, 0.04), turn, size: [share, share, share], colour: full }] : [],
    );
    this.#cells.show(cells);
    this.#slots.show(Array.from({ length: ROWS * COLUMNS }, (_, i) => ({ at: cell(i, -0.012), turn, colour: empty })));
    this.#world.shadowsDue = true;
    return this.#due;
  }

  #numbers(): Mesh {
    const shape = new PlaneGeometry(NUMBERS - 0.02, ROWS * CELL.height);
    const numbers = new Mesh(
      shape,
      new MeshBasicMaterial({ map: this.#more.texture, transparent: true, depthWrite: false, toneMapped: false }),
    );
    numbers.layers.set(AFLOAT);
    numbers.rotation.x = LEAN;
    numbers.position.set(...onPanel(PANEL.width / 2 + NUMBERS / 2 - 0.02, 0, -0.012));
    numbers.renderOrder = 3;
    const { x, y, z } = numbers.position;
    this.#world.float(this, [{ x, y, z, reach: (ROWS * CELL.height) / 2 }]);
    return numbers;
  }
}
