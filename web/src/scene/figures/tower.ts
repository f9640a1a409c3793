import { Group, Mesh } from "three";
import type { BufferGeometry } from "three";
import { Fixed } from "../figure.ts";
import type { Figure, World } from "../figure.ts";
import { block, fuse, place } from "../kit.ts";
import { ROW, towerCount, towerPlaces } from "../layout.ts";
import type { TowerPlace } from "../layout.ts";
import type { Palette } from "../palette.ts";
import type { RoomState } from "../state.ts";
import { Contacts } from "./contact.ts";
import { Tank } from "./tank.ts";
import { rail } from "./bridge.ts";

/** GPU towers: below a visible package with its die and the memory stacks around it, above the memory as blocks. */

const BODY = 2.3;
const BAY = { y: 0.68, height: 0.86, tilt: -0.42 } as const;

function chassis({ x, width }: TowerPlace, { of }: Palette): BufferGeometry[] {
  const { z, depth } = ROW;
  const thin = Math.min(0.07, width * 0.09);
  const side = (at: -1 | 1) =>
    place(block([thin, BODY, depth], 0.03), {
      at: [x + (at * (width - thin)) / 2, BODY / 2 + 0.06, z],
      colour: of("shell"),
    });
  return [
    place(block([width + 0.06, 0.12, depth + 0.08], 0.04), { at: [x, 0.07, z], colour: of("frame") }),
    side(-1),
    side(1),
    place(block([width, BODY, 0.08], 0.03), { at: [x, BODY / 2 + 0.06, z - depth / 2 + 0.04], colour: of("shell") }),
    // The shelf between package and memory, and the plinth that carries the board.
    place(block([width, 0.1, depth], 0.03), { at: [x, 1.22, z], colour: of("shellLight") }),
    place(block([width - 2 * thin, 0.16, depth - 0.1], 0.03), { at: [x, 0.2, z], colour: of("frame") }),
  ];
}

/** A shape on the tilted board: x and y along it, `lift` above it. */
function onBoard(of: TowerPlace, shape: BufferGeometry, x: number, y: number, lift: number): BufferGeometry {
  shape.translate(x, y, lift);
  shape.rotateX(BAY.tilt);
  shape.translate(of.x, BAY.y, ROW.z + 0.12);
  return shape;
}

/** The board as on the real thing: die in the middle, three memory stacks at each side, power along the edges. */
function board(of: TowerPlace, { of: colour }: Palette): { matte: BufferGeometry[]; satin: BufferGeometry[] } {
  const w = of.width * 0.8;
  const h = BAY.height;
  const on = (
    size: readonly [number, number, number],
    x: number,
    y: number,
    lift: number,
    tone: Parameters<typeof colour>[0],
  ) => onBoard(of, place(block(size, 0.012), { at: [0, 0, 0], colour: colour(tone) }), x, y, lift);
  const stacks = [-1, 1].flatMap((side) =>
    [-1, 0, 1].flatMap((row) => [
      on([w * 0.15, h * 0.16, 0.07], side * w * 0.305, row * h * 0.19, 0.07, "frame"),
      on([w * 0.12, h * 0.12, 0.012], side * w * 0.305, row * h * 0.19, 0.108, "steel"),
    ]),
  );
  const power = [-1, 1].flatMap((side) =>
    [-2, -1, 0, 1, 2].map((i) => on([w * 0.11, h * 0.07, 0.05], i * w * 0.16, side * h * 0.43, 0.04, "steel")),
  );
  return {
    matte: [
      on([w, h, 0.03], 0, 0, 0, "package"),
      on([w * 0.8, h * 0.64, 0.03], 0, 0, 0.025, "shellLight"),
      on([w * 0.84, h * 0.02, 0.034], 0, h * 0.335, 0.022, "gold"),
      on([w * 0.84, h * 0.02, 0.034], 0, -h * 0.335, 0.022, "gold"),
    ],
    satin: [on([w * 0.38, h * 0.46, 0.05], 0, 0, 0.06, "silicon"), ...stacks, ...power],
  };
}

/** What shines when the math is what takes the time: the die's rim, and a seam down the tower. */
function shine(of: TowerPlace, palette: Palette, lit: boolean): BufferGeometry[] {
  const [w, h] = [of.width * 0.8, BAY.height];
  const colour = palette.of("math").multiplyScalar(lit ? 1 : 0.28);
  const bar = (width: number, height: number, x: number, y: number) =>
    onBoard(of, place(block([width, height, 0.02], 0.006), { at: [0, 0, 0], colour }), x, y, 0.084);
  const [half, tall] = [w * 0.19, h * 0.23];
  const core = place(block([w * 0.2, h * 0.24, 0.012], 0.004), { at: [0, 0, 0], colour });
  return [
    bar(w * 0.38, 0.016, 0, tall),
    bar(w * 0.38, 0.016, 0, -tall),
    bar(0.016, h * 0.46, half, 0),
    bar(0.016, h * 0.46, -half, 0),
    ...(lit ? [onBoard(of, core, 0, 0, 0.086)] : []),
  ];
}

/** Everything that is there once for each tower, built anew when their number changes. */
export class Towers implements Figure {
  #world: World;
  #group = new Group();
  #count = 0;
  #glow: Mesh | null = null;
  #lit: boolean | null = null;
  #tank: Tank | null = null;
  #linked: boolean | null = null;

  constructor(world: World) {
    this.#world = world;
    world.root.add(this.#group);
  }

  update(state: RoomState): void {
    const count = towerCount(state.towers);
    const linked = state.limiting === "interconnect";
    if (count !== this.#count || linked !== this.#linked) this.#build(count, linked);
    this.#light(state.limiting === "compute");
    this.#tank?.update(state);
    this.#world.shadowsDue = true;
  }

  step(elapsed: number): boolean {
    return this.#tank?.step(elapsed) ?? false;
  }

  #build(count: number, linked: boolean): void {
    const world = this.#world;
    world.free(this.#group);
    this.#group = new Group();
    world.root.add(this.#group);
    [this.#count, this.#linked, this.#lit, this.#glow] = [count, linked, null, null];
    const fixed = new Fixed();
    const places = towerPlaces(count);
    for (const place of places) {
      fixed.add("satin", ...chassis(place, world.palette));
      const { matte, satin } = board(place, world.palette);
      fixed.add("matte", ...matte);
      fixed.add("satin", ...satin);
    }
    rail(fixed, places, world.palette, linked);
    fixed.build(this.#group, world.finish);
    const prints = places.map(({ x, width }) => ({ x, z: ROW.z, width, depth: ROW.depth }));
    new Contacts(world, this.#group, places.length).show(prints);
    this.#tank = new Tank(world, this.#group, places);
  }

  #light(lit: boolean): void {
    if (lit === this.#lit) return;
    this.#lit = lit;
    this.#glow?.geometry.dispose();
    this.#glow?.removeFromParent();
    const places = towerPlaces(this.#count);
    this.#glow = new Mesh(fuse(places.flatMap((of) => shine(of, this.#world.palette, lit))), this.#world.finish.glow);
    this.#group.add(this.#glow);
  }
}
