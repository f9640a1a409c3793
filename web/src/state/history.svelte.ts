import type { Config } from "./config.ts";
import { sameConfig } from "./config.ts";

/** A run of edits to one control is one step, as long as no pause of this length lies between them. */
const PAUSE_MS = 1500;
const LONGEST = 200;

/** Undo and redo over configurations that were answered. Edits that the API refused are no steps. */
export class History {
  #past = $state.raw<readonly Config[]>([]);
  #future = $state.raw<readonly Config[]>([]);
  #present: Config | null = null;
  #lastEdit: string | null = null;
  #lastTime = -Infinity;

  constructor(private readonly now: () => number = () => performance.now()) {}

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** Takes note of a configuration that was answered; `edit` names the control that led to it. */
  record(config: Config, edit: string): void {
    const before = this.#present;
    if (before && sameConfig(before, config)) return;
    const time = this.now();
    const goesOn = edit === this.#lastEdit && time - this.#lastTime < PAUSE_MS;
    if (before && !goesOn) this.#past = [...this.#past, before].slice(-LONGEST);
    // An edit that came back to where it began is none.
    const start = this.#past.at(-1);
    if (goesOn && start && sameConfig(start, config)) this.#past = this.#past.slice(0, -1);
    this.#future = [];
    this.#present = config;
    this.#lastEdit = edit;
    this.#lastTime = time;
  }

  /** The configuration to go back to; `current` may be one that was never answered, and is then left first. */
  undo(current: Config): Config | null {
    if (!this.#present) return null;
    if (!sameConfig(current, this.#present)) return this.#present;
    return this.#step("back");
  }

  redo(): Config | null {
    return this.#step("forth");
  }

  #step(way: "back" | "forth"): Config | null {
    const from = way === "back" ? this.#past : this.#future;
    const next = way === "back" ? from.at(-1) : from[0];
    if (!next || !this.#present) return null;
    if (way === "back") {
      this.#past = from.slice(0, -1);
      this.#future = [this.#present, ...this.#future];
    } else {
      this.#future = from.slice(1);
      this.#past = [...this.#past, this.#present];
    }
    this.#present = next;
    this.#lastEdit = null;
    return next;
  }
}
