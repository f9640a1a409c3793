import { Group, Mesh, SphereGeometry, CapsuleGeometry, LatheGeometry, Vector2 } from "three";
import type { BufferGeometry } from "three";
import { mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import type { World } from "../figure.ts";
import { block, fuse, place, tube } from "../kit.ts";
import type { Palette, Tone } from "../palette.ts";

/** The researcher's body: parts that hang on joints. */

export interface Body {
  root: Group;
  hips: Group;
  chest: Group;
  head: Group;
  legs: [Group, Group];
  knees: [Group, Group];
  arms: [Group, Group];
  elbows: [Group, Group];
}

export const HIP_HEIGHT = 0.8;

function soft(shape: BufferGeometry): BufferGeometry {
  shape.deleteAttribute("uv");
  return mergeVertices(shape);
}

function capsule(radius: number, length: number): BufferGeometry {
  return soft(new CapsuleGeometry(radius, length, 3, 10));
}

function ball(radius: number): BufferGeometry {
  return soft(new SphereGeometry(radius, 14, 10));
}

function face(paint: Palette["of"]): BufferGeometry[] {
  const hair = soft(new SphereGeometry(0.178, 14, 8, 0, 2 * Math.PI, 0, 1.75));
  const eye = (x: number) => place(ball(0.018), { at: [x, 0.15, 0.152], colour: paint("hair") });
  const lens = (x: number) => place(block([0.1, 0.075, 0.012], 0.03), { at: [x, 0.15, 0.168], colour: paint("frame") });
  return [
    place(ball(0.165), { at: [0, 0.16, 0], colour: paint("skin") }),
    place(hair, { at: [0, 0.19, -0.022], turn: [-0.38, 0, 0], colour: paint("hair") }),
    place(ball(0.085), { at: [0, 0.3, -0.13], colour: paint("hair") }),
    place(ball(0.026), { at: [0, 0.115, 0.162], colour: paint("skin") }),
    eye(-0.06),
    eye(0.06),
    ...[-0.062, 0.062].map(lens),
    place(tube(0.05, 0.06, 0.1, 10), { at: [0, 0, 0], colour: paint("skin") }),
  ];
}

/** The outline of a coat: radius and height, from the hem up. */
const COAT = [
  [0, -0.18],
  [0.245, -0.18],
  [0.25, -0.15],
  [0.205, 0.06],
  [0.185, 0.2],
  [0.205, 0.42],
  [0.19, 0.52],
  [0.13, 0.585],
  [0, 0.6],
].map(([radius, height]) => new Vector2(radius, height));

function coat(paint: Palette["of"]): BufferGeometry[] {
  return [
    place(soft(new LatheGeometry(COAT, 18)), { at: [0, 0, 0], colour: paint("coat") }),
    place(block([0.03, 0.5, 0.02], 0.008), { at: [0, 0.14, 0.208], turn: [-0.09, 0, 0], colour: paint("shellLight") }),
    place(block([0.1, 0.12, 0.02], 0.01), { at: [0.09, 0.36, 0.172], turn: [-0.05, 0.4, 0], colour: paint("accent") }),
    place(block([0.2, 0.1, 0.16], 0.05), { at: [0, 0.56, 0.02], colour: paint("cloth") }),
  ];
}

/** A limb of two parts: the lower hangs on a joint at the end of the upper. */
interface Limb {
  radius: number;
  upper: number;
  lower: number;
  tone: Tone;
  tip: BufferGeometry;
}

/** Joints, and the parts that hang on them. */
class Builder {
  readonly paint: Palette["of"];
  #world: World;

  constructor(world: World) {
    this.#world = world;
    this.paint = world.palette.of;
  }

  joint(at: readonly [number, number, number], ...parts: BufferGeometry[]): Group {
    const group = new Group();
    group.position.set(...at);
    if (parts.length) group.add(new Mesh(fuse(parts), this.#world.finish.matte));
    return group;
  }

  /** The joint of the upper part, and that of the lower one below it. */
  limb({ radius, upper, lower, tone, tip }: Limb): [Group, Group] {
    const colour = this.paint(tone);
    const top = this.joint([0, 0, 0], place(capsule(radius, upper), { at: [0, -upper / 2, 0], colour }));
    const shank = place(capsule(radius * 0.88, lower), { at: [0, -lower / 2, 0], colour });
    const end = place(tip, { at: [0, -lower - radius, 0.02] });
    const below = this.joint([0, -upper - radius * 0.4, 0], shank, end);
    top.add(below);
    return [top, below];
  }

  leg(): [Group, Group] {
    const tip = place(block([0.14, 0.1, 0.27], 0.045), { at: [0, 0, 0.045], colour: this.paint("frame") });
    return this.limb({ radius: 0.085, upper: 0.3, lower: 0.28, tone: "cloth", tip });
  }

  arm(): [Group, Group] {
    const tip = place(ball(0.068), { at: [0, 0, 0], colour: this.paint("skin") });
    return this.limb({ radius: 0.062, upper: 0.23, lower: 0.2, tone: "coat", tip });
  }
}

export function body(world: World): Body {
  const make = new Builder(world);
  const [leftLeg, rightLeg] = [make.leg(), make.leg()];
  const [leftArm, rightArm] = [make.arm(), make.arm()];
  const chest = make.joint([0, 0.12, 0], ...coat(make.paint));
  const head = make.joint([0, 0.62, 0], ...face(make.paint));
  const hips = make.joint([0, HIP_HEIGHT, 0]);
  const root = make.joint([0, 0, 0]);
  // Whoever faces the visitor has the right hand on the visitor's left.
  leftLeg[0].position.x = 0.1;
  rightLeg[0].position.x = -0.1;
  leftArm[0].position.set(0.225, 0.5, 0);
  rightArm[0].position.set(-0.225, 0.5, 0);
  chest.add(head, leftArm[0], rightArm[0]);
  hips.add(chest, leftLeg[0], rightLeg[0]);
  root.add(hips);
  return {
    root,
    hips,
    chest,
    head,
    legs: [leftLeg[0], rightLeg[0]],
    knees: [leftLeg[1], rightLeg[1]],
    arms: [leftArm[0], rightArm[0]],
    elbows: [leftArm[1], rightArm[1]],
  };
}
