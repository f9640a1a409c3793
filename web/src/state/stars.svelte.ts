import { STARS_KEY, forget, recall, remember } from "./storage.ts";
import type { Stars } from "./stars.ts";
import { best, readStars, sameStars } from "./stars.ts";

/**
 * The visitor's stars: in this browser, and for this visit where it keeps nothing. Several tabs may be open: each adds
 * what it has to what is stored, and hears of what another one wrote, so that none loses what another earned.
 */
class Kept {
  all = $state.raw<Stars>(readStars(recall(STARS_KEY)));

  constructor() {
    addEventListener("storage", ({ key, newValue }) => {
      // A null key: everything was cleared.
      if (key === null || key === STARS_KEY) this.#hear(newValue);
    });
  }

  of(mission: string): number {
    return this.all[mission] ?? 0;
  }

  earn(mission: string, stars: number): void {
    if (stars > this.of(mission)) this.add({ [mission]: stars });
  }

  add(stars: Stars): void {
    this.#write(best(best(readStars(recall(STARS_KEY)), this.all), stars));
  }

  forget(): void {
    this.all = {};
    forget(STARS_KEY);
  }

  #write(stars: Stars): void {
    this.all = stars;
    remember(STARS_KEY, JSON.stringify(stars));
  }

  /** Another tab wrote, maybe without knowing what was earned here a moment ago; or it forgot everything. */
  #hear(text: string | null): void {
    if (text === null) {
      this.all = {};
      return;
    }
    const theirs = readStars(text);
    const both = best(theirs, this.all);
    if (sameStars(both, theirs)) this.all = both;
    else this.#write(both);
  }
}

export const stars = new Kept();
