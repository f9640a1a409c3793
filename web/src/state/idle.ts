import type { Control, Settings } from "../api/labs.ts";

/** Why a control has no effect with these settings, in its lab's words; null where it has one. */
export function idleWords({ idle }: Control, settings: Settings): string | null {
  if (!idle) return null;
  const met = Object.entries(idle.unless).every(([id, values]) => values.some((value) => value === settings[id]));
  return met ? null : idle.words;
}
