import type { Component } from "svelte";

export interface PageEntry {
  title: string;
  /** Fetches the page when it is first shown; null for the one that is there from the start. */
  load: (() => Promise<{ default: Component }>) | null;
  /** How names begin that a link gives to settings of this page's own: `own`, `own.…` or `own-…`. */
  own?: string;
}

const page = (title: string, load: PageEntry["load"], own?: string): PageEntry => ({
  title,
  load,
  ...(own ? { own } : {}),
});

/** The pages by the name that a link uses, in the order of the way through. */
const TABLE = {
  studio: page("Studio", null, "room"),
  traffic: page("Traffic", () => import("./Traffic.svelte"), "traffic"),
  predict: page("Predict", () => import("./Experiments.svelte")),
  labs: page("Labs", () => import("./Labs.svelte"), "lab"),
  accuracy: page("Accuracy", () => import("./Accuracy.svelte"), "accuracy"),
  "under-the-hood": page("Under the hood", () => import("./UnderTheHood.svelte")),
};

export type Page = keyof typeof TABLE;

export const PAGES: Readonly<Record<Page, PageEntry>> = TABLE;

export const PAGE_NAMES = Object.keys(PAGES) as readonly Page[];

export function isPage(name: string): name is Page {
  return Object.hasOwn(PAGES, name);
}

/** The page that a name in a link belongs to, where it is a setting of a page's own. */
export function ownerOf(name: string): Page | undefined {
  return PAGE_NAMES.find((id) => {
    const { own } = PAGES[id];
    return own !== undefined && (name === own || name.startsWith(`${own}.`) || name.startsWith(`${own}-`));
  });
}
