import { tick } from "svelte";
import type { SectionId } from "../words/sections.ts";
import { parts } from "./parts.svelte.ts";

/** To a section's heading, which takes the focus so that a screen reader goes on from there; or to a part of it. */
export async function travel(id: SectionId, part?: string): Promise<void> {
  await tick();
  await parts.settled();
  const heading = document.getElementById(id);
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: "start" });
  // Sections are laid out as they come into sight, which may move the heading once more.
  const to = (part && document.querySelector(part)) || heading;
  requestAnimationFrame(() => to?.scrollIntoView({ block: "start" }));
}

/** Where the focus goes on when what held it is no longer there. */
export function focusOn(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

/** To a control, once what held it is open. */
export async function toControl(field: string): Promise<void> {
  await tick();
  await parts.settled();
  const one = document.getElementById(field) ?? document.querySelector<HTMLElement>(`input[name="${field}"]:checked`);
  one?.scrollIntoView({ block: "center" });
  one?.focus();
}
