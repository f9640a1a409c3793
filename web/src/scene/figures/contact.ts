import { DataTexture, InstancedMesh, LinearFilter, Matrix4, MeshBasicMaterial, PlaneGeometry } from "three";
import type { Group } from "three";
import type { World } from "../figure.ts";

/** Soft shadows where things touch the floor: one small picture of a blurred square, stretched under each of them. */

const SIDE = 48;
/** How much of a shadow lies beyond the thing itself. */
const SPREAD = 0.34;

/** 1 within the square, falling to 0 at the edge of the picture. */
function blurredSquare(): Uint8Array {
  const data = new Uint8Array(4 * SIDE * SIDE);
  const fall = (at: number) => Math.min(1, (1 - Math.abs(at)) / SPREAD);
  for (let row = 0; row < SIDE; row += 1)
    for (let column = 0; column < SIDE; column += 1) {
      const [u, v] = [column, row].map((at) => (2 * at + 1) / SIDE - 1) as [number, number];
      const depth = Math.max(0, fall(u)) * Math.max(0, fall(v));
      data[4 * (row * SIDE + column) + 3] = Math.round(255 * depth * depth * (3 - 2 * depth));
    }
  return data;
}

export interface Footprint {
  x: number;
  z: number;
  width: number;
  depth: number;
}

/** Shadows under things, to be laid out again when they change. */
export class Contacts {
  #mesh: InstancedMesh;

  constructor({ palette }: World, into: Group, most: number, strength = 1) {
    const picture = new DataTexture(blurredSquare(), SIDE, SIDE);
    picture.magFilter = picture.minFilter = LinearFilter;
    picture.needsUpdate = true;
    const opacity = strength * (palette.theme === "dark" ? 0.62 : 0.3);
    const finish = new MeshBasicMaterial({
      map: picture,
      color: 0x05070c,
      transparent: true,
      opacity,
      depthWrite: false,
    });
    finish.polygonOffset = true;
    finish.polygonOffsetFactor = finish.polygonOffsetUnits = -2;
    this.#mesh = new InstancedMesh(new PlaneGeometry(1, 1).rotateX(-Math.PI / 2), finish, most);
    this.#mesh.frustumCulled = false;
    this.#mesh.renderOrder = 1;
    into.add(this.#mesh);
  }

  show(prints: readonly Footprint[]): void {
    const matrix = new Matrix4();
    prints.forEach(({ x, z, width, depth }, i) => {
      matrix.makeScale(width + 0.55, 1, depth + 0.55).setPosition(x, 0.034, z);
      this.#mesh.setMatrixAt(i, matrix);
    });
    this.#mesh.count = prints.length;
    this.#mesh.instanceMatrix.needsUpdate = true;
  }
}
