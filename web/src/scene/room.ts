import { NeutralToneMapping, PCFShadowMap, Raycaster, Scene, Vector2, WebGLRenderer } from "three";
import type { DirectionalLight } from "three";
import type { Figure } from "./figure.ts";
import { World } from "./figure.ts";
import { ambient, lights } from "./figures/lights.ts";
import type { Phase } from "./governor.ts";
import { browserClock, CALM_MS, Governor } from "./governor.ts";
import { drawsInSoftware } from "./hardware.ts";
import { listen } from "./input.ts";
import { hit, labelSpot } from "./layout.ts";
import { palette } from "./palette.ts";
import { Quality } from "./quality.ts";
import type { RoomState, StationId, View } from "./state.ts";
import { STATIONS } from "./state.ts";
import { AFLOAT, Still, whatStands } from "./still.ts";
import { air, furnish } from "./stations.ts";
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
  /** Called where labels may have to move. */
  onPlaces?(places: Place[]): void;
  /** Called with every frame. */
  onFrame?(frames: number): void;
  onPhase?(phase: Phase): void;
}

/** Beyond this sharper pictures cost more than they show. */
const MOST_RATIO = 1.5;

/** In place of smoothed edges, which cost every frame: what stands still is drawn larger than it is shown. */
const STILL_IN_SOFTWARE = 1.5;

/** The furnished room of one theme. */
interface Furnished {
  world: World;
  figures: Figure[];
  key: DirectionalLight;
}

/** The room on a canvas. Throws where there is no WebGL. */
export class Room {
  #canvas: HTMLCanvasElement;
  #options: RoomOptions;
  #renderer: WebGLRenderer;
  #scene = new Scene();
  #eye = new Eye();
  #governor: Governor;
  #quality = new Quality();
  #furnished: Furnished | null = null;
  #state: RoomState | null = null;
  #view: View = "overview";
  #motion: boolean;
  /** Drawn on the processor. */
  #plain: boolean;
  /** Where the room is drawn on the processor, most of a picture is kept from frame to frame. */
  #still: Still | null = null;
  /** What was kept is no longer what stands. */
  #stale = true;
  #unlaid = true;
  #size = { width: 0, height: 0, ratio: 1 };
  #release: (() => void)[];

  constructor(canvas: HTMLCanvasElement, options: RoomOptions) {
    this.#canvas = canvas;
    this.#options = options;
    this.#motion = options.motion;
    this.#plain = drawsInSoftware();
    this.#renderer = new WebGLRenderer({ canvas, antialias: !this.#plain, preserveDrawingBuffer: this.#plain });
    this.#renderer.toneMapping = NeutralToneMapping;
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#renderer.shadowMap.autoUpdate = false;
    this.#governor = new Governor(
      { draw: (elapsed) => this.#draw(elapsed), onPhase: (phase) => options.onPhase?.(phase) },
      browserClock,
    );
    this.#release = [this.#listen()];
    if (this.#plain) this.#still = new Still(this.#renderer);
    else {
      this.#eye.camera.layers.enable(AFLOAT);
      this.#release.push(ambient(this.#renderer, this.#scene));
    }
  }

  /** Frames drawn so far. */
  get frames(): number {
    return this.#governor.frames;
  }

  update(state: RoomState): void {
    const before = this.#state;
    this.#state = state;
    if (state.theme !== before?.theme) this.#furnish(state);
    for (const figure of this.#furnished?.figures ?? []) figure.update(state);
    if (state.towers !== before?.towers) this.#eye.goTo(this.#view, state.towers, !this.#moves || !before);
    this.#unlaid = true;
    if (before && whatStands(before) === whatStands(state)) this.#governor.invalidate();
    else this.#changed();
  }

  goTo(view: View): void {
    this.#view = view;
    this.#eye.goTo(view, this.#state?.towers ?? 1, !this.#moves || !this.#governor.frames);
    this.#changed();
  }

  /** With motion off everything jumps to where it would go. */
  setMotion(on: boolean): void {
    this.#motion = on;
    this.#tellMotion();
    this.#changed();
  }

  /** Whether an answer of the API is awaited. */
  asking(on: boolean): void {
    this.#governor.asking(on);
  }

  /** A control of the page moved. */
  touched(): void {
    this.#governor.touched();
  }

  seen(of: { shown?: boolean; near?: boolean }): void {
    this.#governor.seen(of);
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const same = width === this.#size.width && height === this.#size.height;
    if (!width || !height || same) return;
    this.#size = { width, height, ratio: 0 };
    this.#eye.resize(width / height);
    this.#changed();
  }

  dispose(): void {
    this.#governor.dispose();
    for (const release of this.#release) release();
    this.#furnished?.world.dispose();
    this.#furnished?.key.dispose();
    this.#still?.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }

  get #moves(): boolean {
    return this.#motion && this.#quality.level.motion;
  }

  /** The whole picture is due. */
  #changed(): void {
    this.#stale = this.#unlaid = true;
    this.#governor.invalidate();
  }

  #listen(): () => void {
    const moved = (run: () => void) => {
      run();
      this.#changed();
    };
    return listen(this.#canvas, {
      turn: (azimuth, elevation) => moved(() => this.#eye.turn(azimuth, elevation)),
      zoom: (factor) => moved(() => this.#eye.zoom(factor)),
      hover: (x, y) => this.#stationAt(x, y) !== null,
      pick: (x, y) => {
        const id = this.#stationAt(x, y);
        if (id) this.#options.onPick(id);
      },
    });
  }

  #furnish({ theme }: RoomState): void {
    this.#furnished?.world.dispose();
    this.#furnished?.key.dispose();
    const world = new World(palette(theme), { motion: this.#moves, plain: this.#plain });
    const key = lights(world);
    key.castShadow = this.#quality.level.shadows;
    this.#furnished = { world, key, figures: furnish(world) };
    this.#scene.add(world.root);
    air(this.#scene, world);
  }

  #tellMotion(): void {
    if (this.#furnished) this.#furnished.world.motion = this.#moves;
  }

  /** Steps everything, then draws it, or no more than floats; what has come to rest is drawn in full. */
  #draw(elapsed: number): boolean {
    if (!this.#furnished || !this.#size.width) return false;
    this.#judge(elapsed);
    const { world, figures } = this.#furnished;
    const moves = [this.#eye.step(elapsed), ...figures.map((figure) => figure.step?.(elapsed) ?? false)].includes(true);
    const floats = figures.map((figure) => figure.float?.(elapsed) ?? false).includes(true);
    const fresh = moves || this.#stale || !this.#still;
    if (fresh) this.#drawAll(world, moves || (floats && !this.#still));
    this.#still?.float(this.#scene, this.#eye.camera, world.afloat, fresh);
    // What has just come to rest is drawn once more, as well as can be.
    this.#stale = moves;
    this.#tell(moves);
    return moves || floats;
  }

  #drawAll(world: World, moving: boolean): void {
    const still = this.#plain ? STILL_IN_SOFTWARE : 1;
    this.#sharpen(moving ? this.#quality.level.ratio : still);
    this.#renderer.shadowMap.needsUpdate = world.shadowsDue;
    world.shadowsDue = false;
    this.#renderer.render(this.#scene, this.#eye.camera);
  }

  #tell(moves: boolean): void {
    if (moves || this.#unlaid) this.#options.onPlaces?.(this.#places());
    this.#unlaid = moves;
    this.#options.onFrame?.(this.#governor.frames);
  }

  /** Only frames that nothing held back say how fast this machine is. */
  #judge(elapsed: number): void {
    if (!elapsed || this.#governor.interval > CALM_MS || !this.#quality.note(elapsed)) return;
    this.#tellMotion();
    this.#stale = true;
    if (this.#furnished) this.#furnished.key.castShadow = this.#quality.level.shadows;
  }

  #sharpen(share: number): void {
    const { width, height } = this.#size;
    const ratio = share * Math.min(devicePixelRatio, MOST_RATIO);
    if (ratio === this.#size.ratio) return;
    this.#size = { width, height, ratio };
    this.#renderer.setPixelRatio(ratio);
    this.#renderer.setSize(width, height, false);
  }

  #places(): Place[] {
    const { width, height } = this.#size;
    return STATIONS.flatMap((id) => {
      const at = this.#eye.project(labelSpot(id, this.#state?.towers ?? 1, (this.#state?.memory?.over ?? 0) > 0));
      return at ? [{ id, x: at.x * width, y: at.y * height }] : [];
    });
  }

  #stationAt(x: number, y: number): StationId | null {
    const { width, height } = this.#size;
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.#eye.camera);
    const { origin, direction } = caster.ray;
    return hit(origin, direction, this.#state?.towers ?? 1);
  }
}

export function createRoom(canvas: HTMLCanvasElement, options: RoomOptions): Room {
  return new Room(canvas, options);
}
