import { travel } from "../ui/travel.ts";
import type { StartId } from "../words/starts.ts";
import { startOf } from "../words/starts.ts";
import { DEFAULTS } from "./config.ts";
import { guide } from "./guide.svelte.ts";
import { studio } from "./studio.svelte.ts";

/** Takes a starting point: its configuration, what it is compared with, and its section. */
export async function begin(id: StartId): Promise<void> {
  const start = startOf(id);
  if (!start) return;
  studio.go("studio");
  guide.start = id;
  const pinned = start.baseline ? studio.pinAs({ ...DEFAULTS, ...start.baseline }) : null;
  studio.apply({ ...DEFAULTS, ...start.values });
  await pinned;
  await travel(start.section);
}
