import { AdditiveBlending, BufferAttribute, BufferGeometry, IcosahedronGeometry, Mesh, MeshBasicMaterial } from "three";
import type { Color } from "three";
import type { Figure, World } from "../figure.ts";
import { Crowd } from "../kit.ts";
import type { Pose } from "../kit.ts";
import type { Spot } from "../layout.ts";
import { towerCount } from "../layout.ts";
import type { Route, Way } from "../route.ts";
import { along, route, ways } from "../route.ts";
import type { RoomState, StationId } from "../state.ts";
import { AFLOAT } from "../still.ts";

/** Glowing lines in the floor and along the bridge. Dots on them stand for bytes; they move while something runs. */

const MOST_DOTS = 40;
const DOT = 0.052;
const SPEED = 0.0011;
/** After a step of training its dots move for so long. */
const STEP_MS = 1100;

const ABOUT: Record<Way, { tone: "weights" | "kv" | "communication" | "math"; station: StationId }> = {
  weights: { tone: "weights", station: "weights" },
  kv: { tone: "kv", station: "memory" },
  links: { tone: "communication", station: "interconnect" },
  training: { tone: "math", station: "training" },
};
const WAYS = Object.keys(ABOUT) as Way[];

/** A flat band along a line, bright in the middle: `reach` metres to each side. */
function band(points: readonly Spot[], reach: number, colour: Color, edge: number): BufferGeometry {
  const at: number[] = [];
  const tint: number[] = [];
  const index: number[] = [];
  points.forEach((here, i) => {
    const [a, b] = [points[i - 1] ?? here, points[i + 1] ?? here];
    const long = Math.hypot(b.x - a.x, b.z - a.z) || 1;
    const [nx, nz] = [-(b.z - a.z) / long, (b.x - a.x) / long];
    for (const side of [-1, 0, 1]) {
      at.push(here.x + side * reach * nx, here.y, here.z + side * reach * nz);
      const { r, g, b: blue } = colour;
      tint.push(r, g, blue, side ? edge : 1);
    }
    if (!i) return;
    const [k, j] = [3 * (i - 1), 3 * i];
    for (const s of [0, 1]) index.push(k + s, k + s + 1, j + s, j + s, k + s + 1, j + s + 1);
  });
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  shape.setAttribute("color", new BufferAttribute(new Float32Array(tint), 4));
  shape.setIndex(index);
  return shape;
}

interface Line {
  route: Route;
  halo: Mesh;
  core: Mesh;
}

export class Paths implements Figure {
  #world: World;
  #lines: Partial<Record<Way, Line>> = {};
  #dots: Crowd;
  #count = 0;
  #flows: Record<Way, number> = { weights: 0, kv: 0, links: 0, training: 0 };
  #backward = false;
  #gone = 0;
  #left = 0;
  #due = true;
  #stage = "";

  constructor(world: World) {
    this.#world = world;
    const ball = new IcosahedronGeometry(DOT, 1);
    ball.deleteAttribute("uv");
    this.#dots = new Crowd(ball, world.finish.afloat, MOST_DOTS * WAYS.length);
    this.#dots.mesh.layers.set(AFLOAT);
    world.root.add(this.#dots.mesh);
  }

  update(state: RoomState): void {
    const count = towerCount(state.towers);
    if (count !== this.#count) this.#lay(count);
    const learns = state.mode === "training";
    const { weights, kv, links } = state.flows;
    this.#flows = learns
      ? { weights: 0, kv: 0, links: 0, training: state.training ? 12 : 0 }
      : { weights, kv, links: count > 1 ? links : 0, training: 0 };
    this.#backward = state.training?.stage === "backward" || state.training?.stage === "update";
    const stage = learns ? `${state.training?.stage} ${state.training?.losses.length}` : "";
    if (stage && stage !== this.#stage) this.#left = STEP_MS;
    if (state.action) this.#left = Infinity;
    else if (this.#left === Infinity) this.#left = 0;
    this.#stage = stage;
    for (const way of WAYS) this.#shine(way, state.limiting === ABOUT[way].station);
    this.#due = true;
  }

  float(elapsed: number): boolean {
    const moving = this.#world.motion && this.#left > 0;
    if (!moving && !this.#due) return false;
    if (moving) {
      this.#gone += elapsed * SPEED;
      this.#left -= elapsed;
    }
    this.#due = false;
    const dots = WAYS.flatMap((way) => this.#onWay(way));
    this.#dots.show(dots);
    this.#world.float(
      this,
      dots.map(({ at: [x, y, z] }) => ({ x, y, z, reach: DOT })),
    );
    return moving;
  }

  /** Evenly spread, so that their number can be seen. */
  #onWay(way: Way): Pose[] {
    const line = this.#lines[way];
    const count = Math.min(MOST_DOTS, this.#flows[way]);
    if (!line || !count) return [];
    const colour = this.#bright(way);
    const { length } = line.route;
    return Array.from({ length: count }, (_, i) => {
      const share = (i / count + this.#gone / length) % 1;
      const { at } = along(line.route, length * (this.#backward && way === "training" ? 1 - share : share));
      return { at: [at.x, at.y + (way === "links" ? 0.15 : 0.06), at.z], colour };
    });
  }

  #bright(way: Way): Color {
    const { of, theme } = this.#world.palette;
    return theme === "dark" ? of(ABOUT[way].tone).lerp(of("paper"), 0.35) : of(ABOUT[way].tone);
  }

  #shine(way: Way, lit: boolean): void {
    const line = this.#lines[way];
    if (!line) return;
    const there = this.#flows[way] > 0;
    const strength = !there ? 0.1 : lit ? 1 : 0.5;
    (line.halo.material as MeshBasicMaterial).opacity = strength * (this.#world.palette.theme === "dark" ? 0.55 : 0.5);
    (line.core.material as MeshBasicMaterial).opacity = there ? 0.95 : 0.3;
  }

  #lay(count: number): void {
    this.#count = count;
    for (const line of Object.values(this.#lines))
      for (const mesh of [line.halo, line.core]) {
        mesh.geometry.dispose();
        (mesh.material as MeshBasicMaterial).dispose();
        mesh.removeFromParent();
      }
    const all = ways(count);
    this.#lines = {};
    for (const way of WAYS) {
      if (way === "links") {
        if (count > 1) this.#lines[way] = { ...this.#draw(way, all[way], 0.3, 0.02) };
      } else this.#lines[way] = this.#draw(way, all[way], 0.3, 0.035);
    }
  }

  #draw(way: Way, points: Spot[], wide: number, narrow: number): Line {
    const { palette, root } = this.#world;
    const colour = palette.of(ABOUT[way].tone);
    const made = (reach: number, edge: number, glowing: boolean) => {
      const finish = new MeshBasicMaterial({
        vertexColors: true,
        transparent: true,
        depthWrite: false,
        toneMapped: false,
      });
      if (glowing && palette.theme === "dark") finish.blending = AdditiveBlending;
      finish.polygonOffset = true;
      finish.polygonOffsetFactor = finish.polygonOffsetUnits = glowing ? -3 : -4;
      const mesh = new Mesh(band(points, reach, colour, edge), finish);
      mesh.renderOrder = glowing ? 2 : 3;
      mesh.position.y = glowing ? 0.012 : 0.016;
      mesh.visible = way !== "links";
      root.add(mesh);
      return mesh;
    };
    return { route: route(points), halo: made(wide, 0, true), core: made(narrow, 1, false) };
  }
}
