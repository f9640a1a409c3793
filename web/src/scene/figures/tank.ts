import { Group, InstancedMesh, Matrix4, Mesh } from "three";
import type { BufferGeometry } from "three";
import type { World } from "../figure.ts";
import { Glide } from "../glide.ts";
import { block, Crowd, fuse, place } from "../kit.ts";
import type { Pose } from "../kit.ts";
import { ABOVE_RIM, BLOCK_COUNT, blockParts, BLOCKS, MOST_OVER, PARTS, ROW } from "../layout.ts";
import type { Part, TowerPlace } from "../layout.ts";
import type { Palette } from "../palette.ts";
import type { RoomState } from "../state.ts";

/** A device's memory: a glass tank in which every block is a fortieth of the capacity; what is over stands above the rim. */

const FLOOR = 1.3;
const PITCH = 0.104;
const DEPTH = 0.5;
const RIM = FLOOR + BLOCKS.rows * PITCH;

/** Each part has a form of its own beside its colour. */
function forms(width: number, palette: Palette): Record<Part, BufferGeometry> {
  const white = palette.of("surface").setRGB(1, 1, 1);
  const dark = palette.of("surface").setRGB(0.42, 0.42, 0.42);
  const body = (w: number, h: number, d: number) => place(block([w, h, d], 0.018), { at: [0, 0, 0], colour: white });
  const [w, h] = [width * 0.9, PITCH * 0.86];
  const face = DEPTH / 2;
  const groove = (x: number, wide: number, tall: number) =>
    place(block([wide, tall, 0.012], 0.003), { at: [x, 0, face], colour: dark });
  return {
    weights: body(w, h, DEPTH),
    kv: fuse([body(w, h, DEPTH), groove(-w * 0.2, w * 0.1, h * 0.6), groove(w * 0.2, w * 0.1, h * 0.6)]),
    workspace: fuse([body(w, h, DEPTH), groove(0, w * 0.22, h * 0.42)]),
    reserve: fuse([body(w, h, DEPTH), groove(0, w * 0.7, h * 0.16)]),
    free: fuse(
      [-1, 1].flatMap((side) => [
        place(block([w, 0.008, 0.008], 0.003), { at: [0, side * h * 0.4, face], colour: white }),
        place(block([0.008, h * 0.8, 0.008], 0.003), { at: [side * w * 0.48, 0, face], colour: white }),
      ]),
    ),
  };
}

/** A fixed scatter between −1 and 1: the same picture every time. */
const scatter = (i: number, of: number): number => Math.sin(12.9898 * (i + 1) + 78.233 * of);

/** Where block number `i` of a tower stands: in the tank, piled above its rim, or fallen to the floor before it. */
function poseOf(i: number, tower: TowerPlace, pitch: number): Pick<Pose, "at" | "turn"> {
  const [row, column] = [Math.floor(i / BLOCKS.columns), i % BLOCKS.columns];
  const x = tower.x + (column - (BLOCKS.columns - 1) / 2) * pitch;
  const z = ROW.z + 0.14;
  if (i < BLOCK_COUNT) return { at: [x, FLOOR + (row + 0.5) * PITCH, z] };
  if (i < BLOCK_COUNT + ABOVE_RIM) {
    const lean = 0.12 * scatter(i, 0);
    return { at: [x + lean * 0.12, FLOOR + (row + 0.5) * PITCH + 0.03, z + lean * 0.3], turn: [0, lean, lean * 0.4] };
  }
  const fallen = i - BLOCK_COUNT - ABOVE_RIM;
  const away = 0.85 + 0.22 * (fallen % 4) + 0.08 * scatter(i, 1);
  return {
    at: [x + pitch * 0.45 * scatter(i, 2), 0.085 + 0.075 * Math.floor(fallen / 8), ROW.z + away],
    turn: [0.12 * scatter(i, 4), 1.4 * scatter(i, 3), 0.12 * scatter(i, 5)],
  };
}

export class Tank {
  #world: World;
  #places: readonly TowerPlace[];
  #pitch: number;
  #crowds: Record<Part, Crowd>;
  #parts: Part[] = [];
  #there = new Glide(420);
  #rim: Mesh;
  #due = true;

  constructor(world: World, group: Group, places: readonly TowerPlace[]) {
    this.#world = world;
    this.#places = places;
    const inner = places[0]!.width * 0.82;
    this.#pitch = inner / BLOCKS.columns;
    const shapes = forms(this.#pitch, world.palette);
    const most = places.length * (BLOCK_COUNT + MOST_OVER);
    const crowds = PARTS.map((part) => {
      const crowd = new Crowd(shapes[part], part === "free" ? world.finish.glow : world.finish.matte, most);
      crowd.mesh.castShadow = part !== "free";
      crowd.mesh.receiveShadow = part !== "free";
      group.add(crowd.mesh);
      return [part, crowd];
    });
    this.#crowds = Object.fromEntries(crowds) as Record<Part, Crowd>;
    this.#rim = new Mesh(fuse(places.map((tower) => rim(tower, world.palette))), world.finish.glow);
    group.add(this.#rim, this.#glass(inner));
  }

  update({ memory }: RoomState): void {
    this.#parts = memory ? blockParts(memory) : [];
    this.#there.aim(this.#parts.map((part) => (part === "free" ? 0 : 1)));
    this.#rim.visible = (memory?.over ?? 0) > 0;
    this.#due = true;
  }

  step(elapsed: number): boolean {
    if (!this.#due) return false;
    this.#due = this.#there.step(elapsed, !this.#world.motion);
    for (const part of PARTS) this.#crowds[part].show(part === "free" ? this.#free() : this.#filled(part));
    this.#world.shadowsDue = true;
    return this.#due;
  }

  #filled(part: Part): Pose[] {
    const colour = this.#world.palette.of(part);
    return this.#each((share, i, tower) => {
      if (this.#parts[i] !== part || share <= 0) return null;
      return { ...poseOf(i, tower, this.#pitch), size: [share, share, share], colour };
    });
  }

  #free(): Pose[] {
    const colour = this.#world.palette.of("free");
    return this.#each((share, i, tower) => {
      const empty = i < BLOCK_COUNT && (this.#parts[i] ?? "free") === "free";
      return empty && share < 1 ? { ...poseOf(i, tower, this.#pitch), colour } : null;
    });
  }

  #each(pose: (share: number, i: number, tower: TowerPlace) => Pose | null): Pose[] {
    const count = Math.max(BLOCK_COUNT, this.#parts.length);
    return this.#places.flatMap((tower) =>
      Array.from({ length: count }, (_, i) => pose(this.#there.values[i] ?? 0, i, tower)).filter((of) => of !== null),
    );
  }

  #glass(inner: number): InstancedMesh {
    const height = RIM - FLOOR + 0.04;
    const shape = block([inner + 0.02, height, 0.03], 0.012);
    const panes = new InstancedMesh(shape, this.#world.finish.glass, this.#places.length);
    this.#places.forEach(({ x }, i) => {
      panes.setMatrixAt(i, new Matrix4().setPosition(x, FLOOR + height / 2 - 0.02, ROW.z + 0.14 + DEPTH / 2 + 0.05));
    });
    panes.renderOrder = 2;
    return panes;
  }
}

/** Where the capacity ends, once something is over it. */
function rim({ x, width }: TowerPlace, palette: Palette): BufferGeometry {
  return place(block([width * 1.02, 0.03, 0.04], 0.01), {
    at: [x, RIM + 0.012, ROW.z + 0.14 + DEPTH / 2 + 0.06],
    colour: palette.of("bad"),
  });
}
