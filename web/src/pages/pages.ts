import type { Component } from "svelte";

export interface PageEntry {
  title: string;
  /** Fetches the page when it is first shown; null for the one that is there from the start. */
  load: (() => Promise<{ default: Component }>) | null;
}

const page = (title: string, load: PageEntry["load"]): PageEntry => ({ title, load });

/** The pages by the name that a link uses, in the order of the way through. */
export const PAGES = {
  studio: page("Studio", null),
  predict: page("Predict", () => import("./Experiments.svelte")),
  "under-the-hood": page("Under the hood", () => import("./UnderTheHood.svelte")),
};

export type Page = keyof typeof PAGES;

export const PAGE_NAMES = Object.keys(PAGES) as readonly Page[];

export function isPage(name: string): name is Page {
  return Object.hasOwn(PAGES, name);
}
