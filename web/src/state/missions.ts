import type { Lab, Mission } from "../api/labs.ts";
import type { Stars } from "./stars.ts";

/** A mission with the lab that it is played in. */
export interface Placed {
  lab: Lab;
  mission: Mission;
}

/** The missions of all labs, in the order in which they open. */
export function inOrder(labs: readonly Lab[]): Placed[] {
  const all = labs.flatMap((lab) => lab.missions.map((mission) => ({ lab, mission })));
  return all.sort((a, b) => a.mission.order - b.mission.order);
}

/** The missions that still keep one closed; one that is not installed here keeps nothing closed. */
export function waitsFor({ mission }: Placed, all: readonly Placed[], stars: Stars): Placed[] {
  return all.filter(({ mission: other }) => mission.after.includes(other.key) && !stars[other.key]);
}

export function isOpen(placed: Placed, all: readonly Placed[], stars: Stars): boolean {
  return waitsFor(placed, all, stars).length === 0;
}

/** What to play next: the first open mission without a star after this one, of its own lab before any other's. */
export function nextMission(all: readonly Placed[], stars: Stars, key: string | null = null): Placed | null {
  const at = all.findIndex(({ mission }) => mission.key === key);
  const around = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
  const ready = around.filter((placed) => !stars[placed.mission.key] && isOpen(placed, all, stars));
  return ready.find(({ lab }) => lab.id === all[at]?.lab.id) ?? ready[0] ?? null;
}

/** The mission that a star in this one, and nothing else, would open; null where there is none or it has its star. */
export function openedBy(all: readonly Placed[], stars: Stars, key: string): Placed | null {
  const onlyThis = (placed: Placed) => {
    const [first, ...rest] = waitsFor(placed, all, stars);
    return first?.mission.key === key && rest.length === 0;
  };
  return all.find((placed) => !stars[placed.mission.key] && onlyThis(placed)) ?? null;
}

/** What opens a mission that is closed: of those that it waits for, the first that can be played now. */
export function openerOf(placed: Placed, all: readonly Placed[], stars: Stars): Placed | null {
  const seen = new Set<Placed>();
  let ahead = waitsFor(placed, all, stars);
  while (ahead.length) {
    const ready = ahead.find((one) => isOpen(one, all, stars));
    if (ready) return ready;
    for (const one of ahead) seen.add(one);
    ahead = ahead.flatMap((one) => waitsFor(one, all, stars)).filter((one) => !seen.has(one));
  }
  return null;
}

/** Missions by the lab they are played in, labs in the order of their first. */
export function byLab(missions: readonly Placed[]): { lab: Lab; missions: Placed[] }[] {
  const groups = new Map<string, { lab: Lab; missions: Placed[] }>();
  for (const placed of missions) {
    const group = groups.get(placed.lab.id) ?? { lab: placed.lab, missions: [] };
    group.missions.push(placed);
    groups.set(placed.lab.id, group);
  }
  return [...groups.values()];
}

export function earnedIn(missions: readonly Mission[], stars: Stars): { earned: number; most: number } {
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
  return {
    earned: sum(missions.map(({ key, stars: { length } }) => Math.min(stars[key] ?? 0, length))),
    most: sum(missions.map(({ stars: { length } }) => length)),
  };
}

/** The hints that are left for the first star that is missing, by their places among all of the mission's. */
export function hintsLeft({ hints }: Mission, earned: number, asked: readonly number[]): number[] {
  const places = hints.map(({ star }, place) => ({ star, place }));
  return places.filter(({ star, place }) => star === earned + 1 && !asked.includes(place)).map(({ place }) => place);
}
