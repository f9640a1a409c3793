import type { Object3D, Scene } from "three";
import type { RoomState } from "./state.ts";

/** What all figures share. */
export interface World {
  scene: Scene;
  /** Whether things may move; else they jump. */
  motion: boolean;
}

/** A thing in the room: shows a state, and may take a while to get there. */
export interface Figure {
  /** What a click can hit; each names its station in userData. */
  readonly targets: Object3D[];
  update(state: RoomState): void;
  /** A step of its motion; true while there is more of it. */
  step(elapsed: number): boolean;
  dispose(): void;
}
