import { doublings } from "../ui/stops.ts";

/** How many stops beyond the largest batch are shown, as not fitting. */
const BEYOND = 3;
/** A stop closer than this ratio to the largest batch would lie on top of it. */
const NEAR = 1.1;

/** The batches a sweep asks for: powers of two and halves between, the largest that fits, and a few too large. */
export function batchStops(largest: number | null): number[] {
  if (largest === null) return doublings(1, 8);
  const within = doublings(1, largest).filter((stop) => stop * NEAR < largest);
  const beyond = doublings(1, largest * 8).filter((stop) => stop > largest * NEAR);
  return [...within, largest, ...beyond.slice(0, BEYOND)];
}
