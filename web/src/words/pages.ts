import type { Page } from "../state/codec.ts";

/** What the pages are called, in the order of the way through. */
export const PAGE_TITLES: Record<Page, string> = {
  studio: "Studio",
  predict: "Predict",
  "under-the-hood": "Under the hood",
};
