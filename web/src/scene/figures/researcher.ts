import type { Figure, World } from "../figure.ts";
import type { Spot } from "../layout.ts";
import { standing } from "../layout.ts";
import type { Route } from "../route.ts";
import { along, route } from "../route.ts";
import type { RoomState, View } from "../state.ts";
import { gait, PACE, turned, walkPath } from "../walk.ts";
import type { Body } from "./body.ts";
import { body, HIP_HEIGHT } from "./body.ts";
import { Contacts } from "./contact.ts";

/** The researcher walks to the chosen station, turns to it, looks at it and points. */

const TURN = 0.006;
const POINT_MS = 380;
/** Over so many metres a stride begins and ends. */
const GATHER = 0.35;

export class Researcher implements Figure {
  #world: World;
  #body: Body;
  #shade: Contacts;
  #view: View | null = null;
  #degree = 1;
  #way: Route | null = null;
  #gone = 0;
  #at: Spot = standing("overview", 1).at;
  #heading = 0;
  #look: Spot = standing("overview", 1).look;
  #points = 0;
  #due = true;

  constructor(world: World) {
    this.#world = world;
    this.#body = body(world);
    this.#shade = new Contacts(world, world.root, 1, 0.8);
    world.root.add(this.#body.root);
  }

  update({ station, towers }: RoomState): void {
    const view = station ?? "overview";
    if (view === this.#view && towers === this.#degree) return;
    const first = this.#view === null;
    [this.#view, this.#degree] = [view, towers];
    const { at, look } = standing(view, towers);
    this.#look = look;
    this.#way = route(walkPath(this.#at, at));
    this.#gone = 0;
    this.#due = true;
    if (first || !this.#world.motion) this.#arrive();
  }

  step(elapsed: number): boolean {
    if (!this.#due) return false;
    if (!this.#world.motion) this.#arrive();
    const walking = this.#walk(elapsed);
    const facing = this.#way && walking ? along(this.#way, this.#gone).heading : this.#toLook();
    this.#heading = turned(this.#heading, facing, elapsed * TURN);
    const goal = walking || this.#view === "overview" ? 0 : 1;
    const reach = elapsed / POINT_MS;
    this.#points += Math.max(-reach, Math.min(reach, goal - this.#points));
    this.#pose(walking);
    this.#due = walking || this.#points !== goal || turned(this.#heading, facing, 0.001) !== facing;
    return this.#due;
  }

  #walk(elapsed: number): boolean {
    const way = this.#way;
    if (!way || this.#gone >= way.length) return false;
    this.#gone = Math.min(way.length, this.#gone + (elapsed / 1000) * PACE);
    this.#at = along(way, this.#gone).at;
    return this.#gone < way.length;
  }

  #toLook(): number {
    return Math.atan2(this.#look.x - this.#at.x, this.#look.z - this.#at.z);
  }

  /** There at once, turned and pointing. */
  #arrive(): void {
    if (!this.#way) return;
    this.#gone = this.#way.length;
    this.#at = along(this.#way, this.#gone).at;
    this.#heading = this.#toLook();
    this.#points = this.#view === "overview" ? 0 : 1;
  }

  #pose(walking: boolean): void {
    const { root, hips, chest, head, legs, knees, arms, elbows } = this.#body;
    const left = this.#way ? this.#way.length - this.#gone : 0;
    const stride = walking ? Math.min(1, this.#gone / GATHER, left / GATHER) : 0;
    const swing = gait(this.#gone, stride);
    root.position.set(this.#at.x, 0.03, this.#at.z);
    root.rotation.y = this.#heading;
    hips.position.set(swing.sway, HIP_HEIGHT + swing.lift, 0);
    chest.rotation.set(0.06 * stride, 0.12 * Math.sin(swing.hips[0]), 0);
    for (const i of [0, 1] as const) {
      legs[i].rotation.x = -swing.hips[i];
      knees[i].rotation.x = swing.knees[i];
      arms[i].rotation.set(-swing.shoulders[i], 0, (i ? -1 : 1) * 0.14);
      elbows[i].rotation.x = -swing.elbows[i];
    }
    this.#pointAndLook(head, arms[1], elbows[1]);
    this.#shade.show([{ x: this.#at.x, z: this.#at.z, width: 0.25, depth: 0.25 }]);
  }

  /** The head turns before the body does; the right arm rises to what is shown. */
  #pointAndLook(head: Body["head"], arm: Body["head"], elbow: Body["head"]): void {
    const flat = Math.hypot(this.#look.x - this.#at.x, this.#look.z - this.#at.z);
    const rise = Math.atan2(this.#look.y - 1.5, flat);
    const ahead = this.#toLook() - this.#heading;
    const aside = Math.atan2(Math.sin(ahead), Math.cos(ahead));
    head.rotation.set(-0.8 * rise, Math.max(-1.1, Math.min(1.1, aside)), 0);
    const share = this.#points;
    if (!share) return;
    arm.rotation.x += share * (-1.5 - rise - arm.rotation.x);
    arm.rotation.z *= 1 - share;
    elbow.rotation.x *= 1 - share;
  }
}
