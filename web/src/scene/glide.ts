/** Numbers that go to their goals in a fixed time: how things appear and leave. */
export class Glide {
  #values: number[] = [];
  #goals: number[] = [];
  #ms: number;

  constructor(ms = 320) {
    this.#ms = ms;
  }

  /** The first goals are reached at once: nothing moves when the room opens. */
  aim(goals: readonly number[], jump = false): void {
    if (jump || !this.#values.length) this.#values = [...goals];
    while (this.#values.length < goals.length) this.#values.push(0);
    this.#goals = this.#values.map((_, i) => goals[i] ?? 0);
  }

  get values(): readonly number[] {
    return this.#values;
  }

  /** True while there is more of the way. */
  step(elapsed: number, jump = false): boolean {
    const reach = jump ? Infinity : elapsed / this.#ms;
    let moving = false;
    this.#values = this.#values.map((value, i) => {
      const way = this.#goals[i]! - value;
      if (Math.abs(way) <= reach) return this.#goals[i]!;
      moving = true;
      return value + Math.sign(way) * reach;
    });
    return moving;
  }
}
