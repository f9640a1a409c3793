import type { Lab, Mission, Settings, Setup } from "../api/labs.ts";

/** What is asked of whoever plays: a mission of the lab, and controls that a link keeps out of sight. */
export interface Assignment {
  mission: string | null;
  hidden: readonly string[];
}

export const FREE: Assignment = { mission: null, hidden: [] };

/** What else may be hidden or kept beside the lab's controls; no control can have these names. */
export const EVENTS_ID = "events";
export const SEED_ID = "seed";

export function sameAssignment(a: Assignment, b: Assignment): boolean {
  const hidden = a.hidden.length === b.hidden.length && a.hidden.every((id) => b.hidden.includes(id));
  return a.mission === b.mission && hidden;
}

export function missionOf(lab: Lab, { mission }: Assignment): Mission | null {
  return lab.missions.find(({ id }) => id === mission) ?? null;
}

/** Everything of a lab that a link can hide, by id. */
export function hideable(lab: Lab): string[] {
  return [...lab.controls.map(({ id }) => id), ...(lab.events.length ? [EVENTS_ID] : []), SEED_ID];
}

/** The set-up that an assignment begins with: the mission's own, else the lab's. */
export function opening(lab: Lab, assignment: Assignment): Setup {
  const mission = missionOf(lab, assignment);
  if (!mission) return lab.defaults;
  const { settings, events, seed } = mission;
  return { settings: { ...lab.defaults.settings, ...settings }, events, seed };
}

/** What may not be changed: a mission's question, and whatever is out of sight. */
export function keptIds(lab: Lab, assignment: Assignment): ReadonlySet<string> {
  const mission = missionOf(lab, assignment);
  return new Set([...assignment.hidden, ...(mission ? [...mission.fixed, EVENTS_ID, SEED_ID] : [])]);
}

/** The set-up with all that is kept as the assignment began it. */
export function held(lab: Lab, assignment: Assignment, setup: Setup): Setup {
  const kept = keptIds(lab, assignment);
  if (!kept.size) return setup;
  const begun = opening(lab, assignment);
  const settings = Object.entries(setup.settings).map(([id, value]) => [
    id,
    kept.has(id) ? (begun.settings[id] ?? value) : value,
  ]);
  return {
    settings: Object.fromEntries(settings) as Setup["settings"],
    events: kept.has(EVENTS_ID) ? begun.events : setup.events,
    seed: kept.has(SEED_ID) ? begun.seed : setup.seed,
  };
}

/** A set-up with some of its settings changed, and with other events where any are given. */
export function changed(setup: Setup, settings: Settings, events: readonly string[] | null): Setup {
  return { ...setup, settings: { ...setup.settings, ...settings }, events: events ?? setup.events };
}

/** What is kept and differs in a set-up, by id. */
export function keptChanges(lab: Lab, assignment: Assignment, setup: Setup): string[] {
  const as = held(lab, assignment, setup);
  const settings = Object.keys(setup.settings).filter((id) => as.settings[id] !== setup.settings[id]);
  const events = [...as.events].sort().join() === [...setup.events].sort().join();
  return [...settings, ...(events ? [] : [EVENTS_ID]), ...(as.seed === setup.seed ? [] : [SEED_ID])];
}
