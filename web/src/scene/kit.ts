import {
  BoxGeometry,
  BufferAttribute,
  Color,
  CylinderGeometry,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  Euler,
  Vector3,
} from "three";
import type { BufferGeometry, Material, Object3D, Texture } from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries, mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import type { StationId } from "./state.ts";

/** The one material language: rounded, powder-coated, a little steel, few things that glow. */

export interface Finishes {
  matte: MeshStandardMaterial | MeshLambertMaterial;
  satin: MeshStandardMaterial | MeshLambertMaterial;
  /** Lit by nothing and shines by itself. */
  glow: MeshBasicMaterial;
  /** The same, for what floats over a picture that stands. */
  afloat: MeshBasicMaterial;
  glass: MeshStandardMaterial | MeshLambertMaterial;
}

const GLASS = { color: 0xbfd4ff, transparent: true, opacity: 0.1, depthWrite: false } as const;

/** `plain`: without reflections, for machines that draw on the processor, at a third of the cost. */
export function finishes(plain: boolean): Finishes {
  const glow = new MeshBasicMaterial({ vertexColors: true, toneMapped: false });
  const afloat = new MeshBasicMaterial({ vertexColors: true, toneMapped: false, depthWrite: false });
  if (plain) {
    const powder = new MeshLambertMaterial({ vertexColors: true });
    return { matte: powder, satin: powder, glow, afloat, glass: new MeshLambertMaterial(GLASS) };
  }
  return {
    matte: new MeshStandardMaterial({ vertexColors: true, roughness: 0.82, metalness: 0 }),
    satin: new MeshStandardMaterial({ vertexColors: true, roughness: 0.36, metalness: 0.45 }),
    glow,
    afloat,
    glass: new MeshStandardMaterial({ ...GLASS, roughness: 0.12, metalness: 0 }),
  };
}

export interface Placing {
  at: readonly [number, number, number];
  turn?: readonly [number, number, number];
  colour?: Color;
}

/** Moves a shape to its place and paints it. */
export function place(shape: BufferGeometry, { at, turn = [0, 0, 0], colour }: Placing): BufferGeometry {
  shape.applyMatrix4(
    new Matrix4().compose(new Vector3(...at), new Quaternion().setFromEuler(new Euler(...turn)), new Vector3(1, 1, 1)),
  );
  return colour ? paint(shape, colour) : shape;
}

export function paint(shape: BufferGeometry, { r, g, b }: Color): BufferGeometry {
  const count = shape.getAttribute("position").count;
  const colours = new Float32Array(3 * count);
  for (let i = 0; i < count; i += 1) colours.set([r, g, b], 3 * i);
  shape.setAttribute("color", new BufferAttribute(colours, 3));
  return shape;
}

function bare(shape: BufferGeometry): BufferGeometry {
  shape.deleteAttribute("uv");
  const joined = mergeVertices(shape);
  shape.dispose();
  return joined;
}

/** What is thinner than this shows no soft edge. */
const THIN = 0.06;

/** A box with soft edges, where it is thick enough to show them. */
export function block(size: readonly [number, number, number], edge: number, segments = 1): BufferGeometry {
  const [w, h, d] = size;
  if (Math.min(w, h, d) < THIN) {
    const sharp = new BoxGeometry(w, h, d);
    sharp.deleteAttribute("uv");
    return sharp;
  }
  return bare(new RoundedBoxGeometry(w, h, d, segments, Math.min(edge, w / 2.01, h / 2.01, d / 2.01)));
}

export function tube(top: number, bottom: number, height: number, sides = 12): BufferGeometry {
  return bare(new CylinderGeometry(top, bottom, height, sides));
}

/** Parts of one finish become one thing to draw. */
export function fuse(parts: BufferGeometry[]): BufferGeometry {
  const whole = mergeGeometries(parts);
  for (const part of parts) part.dispose();
  return whole;
}

export interface Pose {
  at: readonly [number, number, number];
  turn?: readonly [number, number, number];
  size?: readonly [number, number, number];
  colour: Color;
}

/** One shape many times: as many as there are poses, up to `most`. */
export class Crowd {
  readonly mesh: InstancedMesh;
  #most: number;

  constructor(shape: BufferGeometry, finish: Material, most: number) {
    if (!shape.hasAttribute("color")) paint(shape, new Color(1, 1, 1));
    this.mesh = new InstancedMesh(shape, finish, most);
    this.mesh.count = 0;
    this.mesh.frustumCulled = false;
    this.#most = most;
  }

  show(poses: readonly Pose[]): void {
    const matrix = new Matrix4();
    const turned = new Quaternion();
    const shown = poses.slice(0, this.#most);
    shown.forEach(({ at, turn = [0, 0, 0], size = [1, 1, 1], colour }, i) => {
      turned.setFromEuler(new Euler(...turn));
      this.mesh.setMatrixAt(i, matrix.compose(new Vector3(...at), turned, new Vector3(...size)));
      this.mesh.setColorAt(i, colour);
    });
    this.mesh.count = shown.length;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    // A click is tested against where they are now.
    this.mesh.computeBoundingSphere();
  }
}

/** A plane that shows a picture. */
export function pictured(width: number, height: number, picture: Texture, tone = true): Mesh {
  return new Mesh(new PlaneGeometry(width, height), new MeshBasicMaterial({ map: picture, toneMapped: tone }));
}

/** What a click on a thing means. */
export function belongs<Thing extends Object3D>(thing: Thing, station: StationId): Thing {
  thing.userData["station"] = station;
  return thing;
}

/** Frees everything below an object that the graphics card holds, shared finishes excepted. */
export function free(root: Object3D, shared: ReadonlySet<Material>): void {
  root.traverse((thing) => {
    if (!(thing instanceof Mesh)) return;
    thing.geometry.dispose();
    if (thing instanceof InstancedMesh) thing.dispose();
    for (const finish of [thing.material].flat() as (Material & { map?: Texture | null })[]) {
      if (shared.has(finish)) continue;
      finish.map?.dispose();
      finish.dispose();
    }
  });
  root.removeFromParent();
}
