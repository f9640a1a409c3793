import { Scene, Raycaster, Vector2, WebGLRenderer } from "three";
import type { Object3D } from "three";
import type { Figure, World } from "./figure.ts";
import { furnish } from "./stations.ts";
import type { Phase } from "./governor.ts";
import { browserClock, Governor } from "./governor.ts";
import { listen } from "./input.ts";
import { labelSpot } from "./layout.ts";
import type { RoomState, StationId, View } from "./state.ts";
import { STATIONS } from "./state.ts";
import { Eye } from "./view.ts";

/** Where the label of a station belongs, in pixels from the canvas's corner. */
export interface Place {
  id: StationId;
  x: number;
  y: number;
}

export interface RoomOptions {
  motion: boolean;
  onPick(id: StationId): void;
  /** Called with every frame. */
  onPlaces?(places: Place[], frames: number): void;
  onPhase?(phase: Phase): void;
}

const MOST_RATIO = 1.5;

/** The room on a canvas. Throws where there is no WebGL. */
export class Room {
  #renderer: WebGLRenderer;
  #scene = new Scene();
  #eye = new Eye();
  #governor: Governor;
  #options: RoomOptions;
  #canvas: HTMLCanvasElement;
  #figures: Figure[] = [];
  #world: World;
  #state: RoomState | null = null;
  #view: View = "overview";
  #size = { width: 1, height: 1 };
  #release: () => void;

  constructor(canvas: HTMLCanvasElement, options: RoomOptions) {
    this.#canvas = canvas;
    this.#options = options;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true });
    this.#world = { scene: this.#scene, motion: options.motion };
    this.#figures = furnish(this.#world);
    this.#governor = new Governor(
      {
        draw: (elapsed) => this.#draw(elapsed),
        onPhase: (phase) => options.onPhase?.(phase),
      },
      browserClock,
    );
    this.#release = listen(canvas, {
      turn: (azimuth, elevation) => this.#hand(() => this.#eye.turn(azimuth, elevation)),
      zoom: (factor) => this.#hand(() => this.#eye.zoom(factor)),
      pick: (x, y) => {
        const id = this.#stationAt(x, y);
        if (id) options.onPick(id);
      },
      hover: (x, y) => this.#stationAt(x, y) !== null,
    });
  }

  get frames(): number {
    return this.#governor.frames;
  }

  update(state: RoomState): void {
    const before = this.#state?.towers;
    this.#state = state;
    for (const figure of this.#figures) figure.update(state);
    if (before !== state.towers) this.#eye.goTo(this.#view, state.towers, !this.#world.motion || before === undefined);
    this.#governor.invalidate();
  }

  goTo(view: View): void {
    this.#view = view;
    this.#eye.goTo(view, this.#state?.towers ?? 1, !this.#world.motion || !this.#governor.frames);
    this.#governor.invalidate();
  }

  /** With motion off everything jumps to where it would go. */
  setMotion(on: boolean): void {
    this.#world.motion = on;
    this.#governor.invalidate();
  }

  asking(on: boolean): void {
    this.#governor.asking(on);
  }

  touched(): void {
    this.#governor.touched();
  }

  seen(of: { shown?: boolean; near?: boolean }): void {
    this.#governor.seen(of);
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (!width || !height) return;
    this.#size = { width, height };
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, MOST_RATIO));
    this.#renderer.setSize(width, height, false);
    this.#eye.resize(width / height);
    this.#governor.invalidate();
  }

  dispose(): void {
    this.#release();
    this.#governor.dispose();
    for (const figure of this.#figures) figure.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }

  #hand(run: () => void): void {
    run();
    this.#governor.invalidate();
  }

  #draw(elapsed: number): boolean {
    const moving = [this.#eye.step(elapsed), ...this.#figures.map((figure) => figure.step(elapsed))];
    this.#renderer.render(this.#scene, this.#eye.camera);
    this.#options.onPlaces?.(this.#places(), this.#governor.frames);
    return moving.includes(true);
  }

  #places(): Place[] {
    const { width, height } = this.#size;
    const places: Place[] = [];
    for (const id of STATIONS) {
      const at = this.#eye.project(labelSpot(id, this.#state?.towers ?? 1));
      if (at) places.push({ id, x: at.x * width, y: at.y * height });
    }
    return places;
  }

  #stationAt(x: number, y: number): StationId | null {
    const { width, height } = this.#size;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.#eye.camera);
    const targets = this.#figures.flatMap((figure) => figure.targets);
    const hit = ray.intersectObjects(targets, false)[0]?.object;
    return hit ? stationOf(hit) : null;
  }
}

function stationOf(object: Object3D): StationId | null {
  return (object.userData["station"] as StationId | undefined) ?? null;
}

export function createRoom(canvas: HTMLCanvasElement, options: RoomOptions): Room {
  return new Room(canvas, options);
}
