import type { SlotAnswer, SlotRun } from "../../api/traffic.ts";

export const LEAD =
  "A GPU serves many requests side by side, in slots. Requests end at different times, so slots fall empty. Who fills them, and when, decides how long everybody waits.";

export const STORY =
  "Eight requests, A to H, and four slots. The number beside a letter is how many steps the request needs; every step takes the same time, and reading a prompt is free. Static waits for its slowest request before the next four may enter. Continuous hands a freed slot on at the next step.";

/** What the picture leaves out, so that nobody takes it for more. */
export const UNTOUCHED =
  "The hardware controls do not change this picture: it counts steps, not seconds. With real prompts the benefit can shrink, or turn into a loss: reading a prompt stalls those who decode, the KV cache may have no room for another request, and scheduling takes time of its own. That is what the simulation below is for.";

export const RUN_NAMES = { static: "Static", continuous: "Continuous" } as const;
export type RunName = keyof typeof RUN_NAMES;

/** Idle slot-iterations up to and including an iteration; requests that are done leave their slot empty. */
export function idleUntil(run: SlotRun, iteration: number): number {
  return run.occupancy
    .slice(0, iteration)
    .reduce((sum, slots) => sum + slots.filter((request) => request === null).length, 0);
}

/** Requests that are done once an iteration is over. */
export function doneAfter(run: SlotRun, iteration: number): number {
  return run.last.filter((last) => last <= iteration).length;
}

/** "17 iterations: 40 slots used, 28 idle" */
export function total({ iterations, used, idle }: SlotRun): string {
  return `${iterations} iterations: ${used} slots used, ${idle} idle`;
}

export function moral({ static: fixed, continuous }: SlotAnswer): string {
  const saved = fixed.iterations - continuous.iterations;
  return `The same work, ${fixed.used} slot-iterations, is done ${saved} iterations sooner: continuous leaves ${continuous.idle} slots idle, static ${fixed.idle}.`;
}

/** Requests that have not begun once an iteration is over. */
export function waitingAfter(run: SlotRun, iteration: number): number[] {
  return run.first.flatMap((first, request) => (first > iteration ? [request] : []));
}

/** A, B, C …: numbers are lengths here. */
export function requestName(request: number): string {
  return String.fromCharCode(65 + (request % 26));
}
