import { untrack } from "svelte";

/** Parts of the page that are on their way: fetched when first needed, or waiting for what they show. */
class Parts {
  #held = $state(0);
  #waiting: (() => void)[] = [];

  /** Whether nothing is on its way. */
  get whole(): boolean {
    return this.#held === 0;
  }

  /** Something is on its way until the function that comes back is called; a second call does nothing. */
  hold(): () => void {
    // Whoever holds does not follow how many others do.
    untrack(() => (this.#held += 1));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      untrack(() => (this.#held -= 1));
      if (untrack(() => this.whole)) for (const go of this.#waiting.splice(0)) go();
    };
  }

  /** Fulfilled as soon as nothing is on its way. */
  settled(): Promise<void> {
    return this.whole ? Promise.resolve() : new Promise((go) => this.#waiting.push(go));
  }
}

export const parts = new Parts();
