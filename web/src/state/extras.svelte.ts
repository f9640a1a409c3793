import type { Page } from "../pages/pages.ts";

/** Settings of a page's own as a link spells them, `name=text`; only that page can judge them. */
export type Pairs = Readonly<Record<string, string>>;

/** What pages keep in the address beyond the configuration. A link carries those of its own page. */
class Extras {
  /** Grows whenever pairs came with an address: the page then reads them again. */
  arrivals = $state(0);
  #kept: Partial<Record<Page, Pairs>> = {};

  of(page: Page): Pairs {
    return this.#kept[page] ?? {};
  }

  keep(page: Page, pairs: Pairs): void {
    this.#kept[page] = pairs;
  }

  arrive(found: Partial<Record<Page, Pairs>>): void {
    Object.assign(this.#kept, found);
    this.arrivals += 1;
  }
}

export const extras = new Extras();
