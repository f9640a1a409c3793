import { ROOM_VISIT_KEY, recall, remember } from "../storage.ts";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** What this browser keeps of earlier visits, as words apart by spaces. */
function kept(word: string): boolean {
  return (recall(ROOM_VISIT_KEY) ?? "").split(" ").includes(word);
}

/** Whether things may move: not where the system asks for calm, nor where the visitor paused it. */
class Motion {
  paused = $state(kept("still"));
  /** The tour was taken or declined. */
  toured = $state(kept("toured"));
  #calm = $state(calm.matches);

  constructor() {
    calm.addEventListener("change", ({ matches }) => (this.#calm = matches));
  }

  get moving(): boolean {
    return !this.paused && !this.#calm;
  }

  /** The system asks for calm, so there is nothing to pause. */
  get calm(): boolean {
    return this.#calm;
  }

  toggle(): void {
    this.paused = !this.paused;
    this.#keep();
  }

  seen(): void {
    this.toured = true;
    this.#keep();
  }

  #keep(): void {
    const words = [this.paused && "still", this.toured && "toured"].filter(Boolean);
    remember(ROOM_VISIT_KEY, words.join(" "));
  }
}

export const motion = new Motion();
