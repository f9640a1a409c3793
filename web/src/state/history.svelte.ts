/** A run of edits to one control is one step, as long as no pause of this length lies between them. */
const PAUSE_MS = 1500;
const LONGEST = 200;

/** Undo and redo over settings that were answered. Edits that the API refused are no steps. */
export class History<T> {
  /** While a slider is held, its edit goes on however long it rests. */
  held = false;

  #past = $state.raw<readonly T[]>([]);
  #future = $state.raw<readonly T[]>([]);
  #present: T | null = null;
  #lastEdit: string | null = null;
  #lastTime = -Infinity;

  constructor(
    private readonly same: (a: T, b: T) => boolean,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** Takes note of settings that were answered; `edit` names the control that led to them. */
  record(settings: T, edit: string): void {
    const before = this.#present;
    if (before && this.same(before, settings)) return;
    const goesOn = this.#goesOn(edit);
    if (before && !goesOn) this.#past = [...this.#past, before].slice(-LONGEST);
    // An edit that came back to where it began is none, and what follows is a new one.
    const start = this.#past.at(-1);
    const cameBack = goesOn && start !== undefined && this.same(start, settings);
    if (cameBack) this.#past = this.#past.slice(0, -1);
    this.#future = [];
    this.#present = settings;
    this.#lastEdit = cameBack ? null : edit;
    this.#lastTime = this.now();
  }

  /** What an edit made now sets out from: the settings before it began, where it goes on. */
  origin(edit: string): T | null {
    return this.#goesOn(edit) ? (this.#past.at(-1) ?? null) : this.#present;
  }

  #goesOn(edit: string): boolean {
    return edit === this.#lastEdit && (this.held || this.now() - this.#lastTime < PAUSE_MS);
  }

  /** The settings to go back to; `current` may be some that were never answered, and are then left first. */
  undo(current: T): T | null {
    if (!this.#present) return null;
    if (!this.same(current, this.#present)) return this.#present;
    return this.#step("back");
  }

  redo(): T | null {
    return this.#step("forth");
  }

  #step(way: "back" | "forth"): T | null {
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
