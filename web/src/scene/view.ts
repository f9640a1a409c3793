import { PerspectiveCamera, Vector3 } from "three";
import type { Spot } from "./layout.ts";
import { viewBox } from "./layout.ts";
import type { Orbit } from "./orbit.ts";
import { ease, eye, FOV, framing, limited, mixOrbits } from "./orbit.ts";
import type { View } from "./state.ts";

const DEGREE = Math.PI / 180;

/** From where each view is taken. */
const ANGLES: Record<View, { azimuth: number; elevation: number }> = {
  overview: { azimuth: 17 * DEGREE, elevation: 26 * DEGREE },
  weights: { azimuth: 52 * DEGREE, elevation: 20 * DEGREE },
  compute: { azimuth: -7 * DEGREE, elevation: 14 * DEGREE },
  memory: { azimuth: 18 * DEGREE, elevation: 18 * DEGREE },
  interconnect: { azimuth: -7 * DEGREE, elevation: 26 * DEGREE },
  training: { azimuth: 14 * DEGREE, elevation: 14 * DEGREE },
};

/** A wide picture is filled from lower down, a narrow one from above. */
function anglesOf(view: View, aspect: number): { azimuth: number; elevation: number } {
  const angles = ANGLES[view];
  if (view !== "overview") return angles;
  const wide = Math.min(1, Math.max(0, (aspect - 1.2) / 1.4));
  return { ...angles, elevation: (34 - 17 * wide) * DEGREE };
}

const MARGINS: Partial<Record<View, number>> = { overview: 0.005 };
/** How long the camera takes from one view to another. */
const TRAVEL_MS = 900;

/** The camera: where it is, and where it is on its way to. */
export class Eye {
  readonly camera = new PerspectiveCamera(FOV / DEGREE, 2, 0.5, 80);
  #orbit: Orbit = framing(viewBox("overview", 1), anglesOf("overview", 2), 2);
  #from: Orbit = this.#orbit;
  #goal: Orbit = this.#orbit;
  #travelled = TRAVEL_MS;
  #view: View = "overview";
  #degree = 1;
  /** By how much hands have changed the view; null while nobody has. */
  #touched = false;

  get moving(): boolean {
    return this.#travelled < TRAVEL_MS;
  }

  get distance(): number {
    return this.#orbit.distance;
  }

  /** Goes to a view, at once or on its way. */
  goTo(view: View, degree: number, jump: boolean): void {
    this.#view = view;
    this.#degree = degree;
    this.#touched = false;
    this.#head(jump);
  }

  /** Another picture has another shape: the same view, framed again. */
  resize(aspect: number): void {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (!this.#touched) this.#head(true);
  }

  turn(azimuth: number, elevation: number): void {
    const from = this.moving ? this.#goal : this.#orbit;
    this.#hold(limited({ ...from, azimuth: from.azimuth + azimuth, elevation: from.elevation + elevation }));
  }

  zoom(factor: number): void {
    const from = this.moving ? this.#goal : this.#orbit;
    this.#hold(limited({ ...from, distance: from.distance * factor }));
  }

  /** A step of the way; true while there is more of it. */
  step(elapsed: number): boolean {
    if (this.moving) {
      this.#travelled = Math.min(TRAVEL_MS, this.#travelled + elapsed);
      this.#orbit = mixOrbits(this.#from, this.#goal, ease(this.#travelled / TRAVEL_MS));
    }
    const { x, y, z } = eye(this.#orbit);
    this.camera.position.set(x, y, z);
    const { target } = this.#orbit;
    this.camera.lookAt(target.x, target.y, target.z);
    this.camera.updateMatrixWorld();
    return this.moving;
  }

  /** Where a spot is in the picture, from 0 to 1 across and down; null behind the camera. */
  project({ x, y, z }: Spot): { x: number; y: number } | null {
    const at = new Vector3(x, y, z).project(this.camera);
    return at.z > 1 ? null : { x: (at.x + 1) / 2, y: (1 - at.y) / 2 };
  }

  #hold(orbit: Orbit): void {
    this.#touched = true;
    this.#travelled = TRAVEL_MS;
    this.#orbit = this.#goal = orbit;
  }

  #head(jump: boolean): void {
    this.#goal = framing(
      viewBox(this.#view, this.#degree),
      anglesOf(this.#view, this.camera.aspect),
      this.camera.aspect,
      MARGINS[this.#view] ?? 0.1,
    );
    this.#from = jump ? this.#goal : this.#orbit;
    if (jump) this.#orbit = this.#goal;
    this.#travelled = jump ? TRAVEL_MS : 0;
  }
}
