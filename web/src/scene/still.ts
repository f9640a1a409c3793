import { Vector3 } from "three";
import type { PerspectiveCamera, Scene, WebGLRenderer } from "three";
import type { Spot } from "./layout.ts";
import { magnified, trayFill } from "./layout.ts";
import type { RoomState } from "./state.ts";

/**
 * A picture that stands is drawn once; what floats over it is drawn anew with every frame. On the processor the whole
 * room takes a hundred thousand corners and the dots of a run a few hundred.
 */

/** The layer of what floats: lit by nothing, and never before anything else that floats. */
export const AFLOAT = 1;

/** What of a state is drawn into the picture that stands: where this is the same, so is that. */
export function whatStands(state: RoomState): string {
  const { batch, flows, kvBlocksPerRequest: blocks } = state;
  return JSON.stringify({
    ...state,
    labels: null,
    action: state.action?.kind,
    flows: Object.values(flows).map((dots) => dots > 0),
    kvBlocksPerRequest: [magnified(blocks).map(({ drawn }) => drawn), trayFill(batch, blocks)],
  });
}

/** Something that floats: where it is, and how far it reaches around, in metres. */
export interface Floating extends Spot {
  reach: number;
}

/** Pixels from the lower left corner. */
export interface Patch {
  left: number;
  low: number;
  right: number;
  high: number;
}

/** Edges lie between pixels, and a lens stretches what is at the side of its picture. */
const ROUGHLY = { factor: 1.2, pixels: 2 } as const;

/**
 * The pixels of a thing at `x` and `y` of the picture, each from −1 to 1, which reaches over `reach` of half the
 * picture's height; null where it is not in the picture.
 */
export function patch(x: number, y: number, reach: number, [width, height]: readonly [number, number]): Patch | null {
  const around = (ROUGHLY.factor * reach * height) / 2 + ROUGHLY.pixels;
  const [across, up] = [((1 + x) * width) / 2, ((1 + y) * height) / 2];
  const left = Math.max(0, Math.floor(across - around));
  const low = Math.max(0, Math.floor(up - around));
  const right = Math.min(width, Math.ceil(across + around));
  const high = Math.min(height, Math.ceil(up + around));
  return left < right && low < high ? { left, low, right, high } : null;
}

/**
 * Keeps the colours of the picture that stands, and gives back those under what floated over it; the depths stay where
 * they are, since nothing that floats writes any. For a canvas that keeps its buffer and has one sample a pixel.
 */
export class Still {
  #renderer: WebGLRenderer;
  #gl: WebGL2RenderingContext;
  #colours: WebGLRenderbuffer;
  #kept: WebGLFramebuffer;
  #size = "";
  #covered: Patch[] = [];

  constructor(renderer: WebGLRenderer) {
    this.#renderer = renderer;
    this.#gl = renderer.getContext() as WebGL2RenderingContext;
    this.#colours = this.#gl.createRenderbuffer();
    this.#kept = this.#gl.createFramebuffer();
  }

  /** Draws what floats over the picture that stands: over the one just drawn, or the one that was kept. */
  float(scene: Scene, camera: PerspectiveCamera, floating: readonly Floating[], fresh: boolean): void {
    if (fresh) this.#keep();
    else this.#copy(this.#kept, null, this.#covered);
    this.#covered = this.#cover(camera, floating);
    // A background of one colour is cleared to even where nothing else is.
    const { background } = scene;
    scene.background = null;
    this.#renderer.autoClear = false;
    camera.layers.set(AFLOAT);
    this.#renderer.render(scene, camera);
    camera.layers.set(0);
    this.#renderer.autoClear = true;
    scene.background = background;
  }

  dispose(): void {
    this.#gl.deleteFramebuffer(this.#kept);
    this.#gl.deleteRenderbuffer(this.#colours);
  }

  get #whole(): Patch {
    return { left: 0, low: 0, right: this.#gl.drawingBufferWidth, high: this.#gl.drawingBufferHeight };
  }

  #cover(camera: PerspectiveCamera, floating: readonly Floating[]): Patch[] {
    const { right, high } = this.#whole;
    const zoom = camera.projectionMatrix.elements[5];
    return floating.flatMap(({ x, y, z, reach }) => {
      const at = new Vector3(x, y, z).applyMatrix4(camera.matrixWorldInverse);
      const away = Math.max(camera.near, -at.z);
      at.applyMatrix4(camera.projectionMatrix);
      return patch(at.x, at.y, (reach * zoom) / away, [right, high]) ?? [];
    });
  }

  #keep(): void {
    const gl = this.#gl;
    const { right: width, high: height } = this.#whole;
    if (this.#size !== `${width} ${height}`) {
      this.#size = `${width} ${height}`;
      gl.bindRenderbuffer(gl.RENDERBUFFER, this.#colours);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, width, height);
      gl.bindRenderbuffer(gl.RENDERBUFFER, null);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, this.#kept);
      gl.framebufferRenderbuffer(gl.DRAW_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, this.#colours);
    }
    this.#copy(null, this.#kept, [this.#whole]);
  }

  /** Leaves the canvas bound, as the renderer left it. */
  #copy(from: WebGLFramebuffer | null, to: WebGLFramebuffer | null, patches: readonly Patch[]): void {
    const gl = this.#gl;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, from);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, to);
    for (const { left, low, right, high } of patches)
      gl.blitFramebuffer(left, low, right, high, left, low, right, high, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
}
