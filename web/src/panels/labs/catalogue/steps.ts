import type { Course, Step } from "../../../api/labs.ts";
import { PAGES, isPage } from "../../../pages/pages.ts";
import { journey, metKey, stepKey } from "../../../state/journey.svelte.ts";
import { lablist } from "../../../state/lablist.svelte.ts";
import { labs } from "../../../state/labs.svelte.ts";
import type { Placed } from "../../../state/missions.ts";
import { openerOf } from "../../../state/missions.ts";
import type { Score } from "../../../state/score.ts";
import type { Stars } from "../../../state/stars.ts";
import { studio } from "../../../state/studio.svelte.ts";
import { reveal } from "../../../ui/reveal.svelte.ts";
import { travel } from "../../../ui/travel.ts";
import { EXPERIMENTS } from "../../../words/experiments.ts";
import { TRAFFIC_EXPERIMENTS } from "../../../words/traffic/experiments.ts";
import { labHref, missionHref, pageHref } from "../links.ts";

/** What a step of a path leads to, and how far the visitor is with it. */
export interface Place {
  title: string;
  href: string;
  go: () => void;
  done: boolean;
  /** Seen on the way to something else, and not opened itself. */
  met: boolean;
  /** What has to be played first, where it is closed. */
  opener: Opener | null;
}

interface Opener {
  title: string;
  href: string;
  go: () => void;
}

export interface Far {
  stars: Stars;
  seen: readonly string[];
  score: Score;
}

/** Paths name an experiment with traffic by its page as well. */
const TRAFFIC = "traffic/";

export function goToExperiment(page: "predict" | "traffic", id: string): void {
  if (page === "predict") reveal.experiment = id;
  studio.go(page);
  if (page === "traffic") void travel("try", `[data-experiment="${id}"]`);
}

const OPEN = { met: false, opener: null };

function lab(id: string): Opener | null {
  const found = lablist.all.find((one) => one.id === id);
  return found ? { title: found.title, href: labHref(found), go: () => labs.open(found) } : null;
}

function toMission({ lab, mission }: Placed): Opener {
  return { title: mission.title, href: missionHref(lab, mission), go: () => labs.begin(lab, mission) };
}

function mission(key: string, stars: Stars): Place | null {
  const found = lablist.missions.find((one) => one.mission.key === key);
  if (!found) return null;
  const opener = openerOf(found, lablist.missions, stars);
  return { ...toMission(found), done: Boolean(stars[key]), met: false, opener: opener && toMission(opener) };
}

function experiment(named: string, score: Score): Place | null {
  const page = named.startsWith(TRAFFIC) ? "traffic" : "predict";
  const id = page === "traffic" ? named.slice(TRAFFIC.length) : named;
  const all = page === "traffic" ? TRAFFIC_EXPERIMENTS : EXPERIMENTS;
  const found = all.find((one) => one.id === id);
  if (!found) return null;
  const done = score[id] !== undefined;
  return { title: found.title, href: pageHref(page), go: () => goToExperiment(page, id), done, ...OPEN };
}

/** Where a step leads; null where that is not here, as a lab that is not installed. */
function placeOf(step: Step, far: Far): Place | null {
  if (step.kind === "mission") return mission(step.id, far.stars);
  if (step.kind === "experiment") return experiment(step.id, far.score);
  const done = far.seen.includes(stepKey(step));
  if (step.kind === "lab") {
    const found = lab(step.id);
    return found && { ...found, done, met: !done && far.seen.includes(metKey(step)), opener: null };
  }
  const { id } = step;
  if (!isPage(id)) return null;
  const go = () => {
    journey.note(step);
    studio.go(id);
  };
  return { title: PAGES[id].title, href: pageHref(id), go, done, ...OPEN };
}

/** The path that the visitor follows, the first one where none was chosen. */
export function pathOf(role: string | null): Course | undefined {
  return lablist.paths.find(({ id }) => id === role) ?? lablist.paths[0];
}

/** The steps of a path that lead somewhere here. */
export function stepsOf(path: Course, far: Far): (Step & Place)[] {
  return path.steps.flatMap((step) => {
    const place = placeOf(step, far);
    return place ? [{ ...step, ...place }] : [];
  });
}
