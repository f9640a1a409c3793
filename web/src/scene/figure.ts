import { Group, Mesh } from "three";
import type { BufferGeometry, Material } from "three";
import { finishes, free, fuse } from "./kit.ts";
import type { Finishes } from "./kit.ts";
import type { Palette } from "./palette.ts";
import type { RoomState } from "./state.ts";
import type { Floating } from "./still.ts";

/** A thing in the room: shows a state, and may take a while to get there. */
export interface Figure {
  update(state: RoomState): void;
  /** A step of its motion; true while there is more of it. */
  step?(elapsed: number): boolean;
  /** The same of what floats over the picture that stands. */
  float?(elapsed: number): boolean;
}

type Solid = "matte" | "satin" | "glow";

/** Shapes that never move, gathered by finish: each becomes one thing to draw. */
export class Fixed {
  #parts: Record<Solid, BufferGeometry[]> = { matte: [], satin: [], glow: [] };

  add(finish: Solid, ...parts: BufferGeometry[]): void {
    this.#parts[finish].push(...parts);
  }

  build(into: Group, finish: Finishes): void {
    for (const [name, parts] of Object.entries(this.#parts) as [Solid, BufferGeometry[]][]) {
      if (!parts.length) continue;
      const mesh = new Mesh(fuse(parts), finish[name]);
      mesh.castShadow = mesh.receiveShadow = name !== "glow";
      into.add(mesh);
      this.#parts[name] = [];
    }
  }
}

/** What all figures of one theme share. */
export class World {
  readonly root = new Group();
  readonly fixed = new Fixed();
  readonly finish: Finishes;
  readonly palette: Palette;
  /** Whether things may move; else they jump. */
  motion: boolean;
  /** Shapes changed, so that their shadows have to be drawn again. */
  shadowsDue = true;
  /** Drawn on the processor: without what costs most. */
  readonly plain: boolean;
  #shared: ReadonlySet<Material>;
  #afloat = new Map<Figure, readonly Floating[]>();

  constructor(palette: Palette, { motion, plain }: { motion: boolean; plain: boolean }) {
    this.palette = palette;
    this.motion = motion;
    this.plain = plain;
    this.finish = finishes(plain);
    this.#shared = new Set(Object.values(this.finish));
  }

  /** Everything that floats at this moment. */
  get afloat(): readonly Floating[] {
    return [...this.#afloat.values()].flat();
  }

  /** What of a figure floats, from now on. */
  float(figure: Figure, floating: readonly Floating[]): void {
    this.#afloat.set(figure, floating);
  }

  /** Frees a part of the room. */
  free(group: Group): void {
    free(group, this.#shared);
  }

  dispose(): void {
    this.free(this.root);
    for (const finish of this.#shared) finish.dispose();
  }
}
