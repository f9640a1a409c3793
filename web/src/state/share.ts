import { sharing } from "../ui/sharing.svelte.ts";
import { fitsLink, spoken } from "./own.ts";
import { studio } from "./studio.svelte.ts";

/** Hands out the address that carries what is on the page, and says what the link names only, being too long for it. */
export function share(): void {
  const { model, accelerator } = studio.config;
  const leftOut = [model, accelerator].filter((value) => !fitsLink(value)).map(spoken);
  void sharing.share(`${location.origin}${location.pathname}#${studio.hash()}`, leftOut);
}
