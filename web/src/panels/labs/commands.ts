import type { Lab, Mission } from "../../api/labs.ts";
import { EVENTS_ID, keptIds } from "../../state/assignment.ts";
import { labs } from "../../state/labs.svelte.ts";
import { lablist } from "../../state/lablist.svelte.ts";
import { hintsLeft, isOpen } from "../../state/missions.ts";
import { stars } from "../../state/stars.svelte.ts";
import { studio } from "../../state/studio.svelte.ts";
import type { Command } from "../commands.ts";
import { reveal } from "../../ui/reveal.svelte.ts";
import { toControl } from "../../ui/travel.ts";
import { HANDOUT, LEAVE, TEACH, starsWords } from "../../words/missions.ts";
import { saveStars } from "./catalogue/keeping.ts";
import { teaching } from "./teaching.svelte.ts";

function entry(group: string, id: string, name: string, detail: string, run: () => void): Command {
  return { id, name, detail, group, also: ["lab"], run };
}

/** Opens a lab from anywhere. */
export function openLab(lab: Lab): void {
  labs.open(lab);
  studio.go("labs");
}

function openMission(lab: Lab, mission: Mission): void {
  labs.begin(lab, mission);
  studio.go("labs");
}

/** The labs there are and the missions that are open, for the palette of any page. */
export function labEntries(): Command[] {
  const all = lablist.all.map((lab) => entry("Labs", `lab-${lab.id}`, lab.title, "lab", () => openLab(lab)));
  const open = lablist.missions.filter((placed) => isOpen(placed, lablist.missions, stars.all));
  const missions = open.map(({ lab, mission }) => {
    const detail = starsWords(stars.of(mission.key), mission.stars.length);
    return entry("Missions", `mission-${mission.key}`, mission.title, detail, () => openMission(lab, mission));
  });
  return [...all, ...missions];
}

/** What can be done in the mission under way; its set-up is what the page's own reset loads. */
function missionEntries(mission: Mission): Command[] {
  const here = (id: string, name: string, run: () => void) => entry("In this mission", id, name, "", run);
  const { task } = labs;
  const [hint] = hintsLeft(mission, labs.answer?.mission?.earned ?? 0, task.hints);
  return [
    ...(hint === undefined ? [] : [here("mission-hint", "Ask for a hint", () => task.hint(hint))]),
    here("mission-why", "Read why it works", () => labs.explain()),
    task.handout
      ? here("mission-play", "Back to the mission", () => labs.show(false))
      : here("mission-handout", HANDOUT, () => labs.show(true)),
    here("mission-teach", TEACH, () => teaching.show(mission)),
    here("mission-leave", LEAVE, () => labs.leaveMission()),
  ];
}

function settingEntries(lab: Lab): Command[] {
  const kept = keptIds(lab, labs.task.assignment);
  const free = lab.controls.filter(({ id }) => !kept.has(id));
  const controls = free.map(({ id, label, unit }) =>
    entry("In this lab", `lab-control-${id}`, label, unit, () => {
      reveal.settings = true;
      void toControl(`lab-${id}`);
    }),
  );
  const events = kept.has(EVENTS_ID) ? [] : lab.events;
  const happenings = events.map(({ id, title }) =>
    entry("In this lab", `lab-event-${id}`, title, labs.setup.events.includes(id) ? "on" : "off", () =>
      labs.toggle(id),
    ),
  );
  return [...controls, ...happenings];
}

/** What can be done and set in the lab that is open; in the catalogue, what can be done with stars. */
export function paletteOf(): Command[] {
  const { lab, mission } = labs;
  if (!lab) {
    const first = lablist.missions[0]?.mission;
    const here = (id: string, name: string, run: () => void) => entry("In the catalogue", id, name, "", run);
    return first
      ? [here("stars-save", "Save your stars as a file", saveStars), here("teach", TEACH, () => teaching.show(first))]
      : [];
  }
  const pin = labs.pinned
    ? entry("In this lab", "lab-unpin", "Unpin the set-up", "", () => labs.unpin())
    : entry("In this lab", "lab-pin", "Pin this set-up", "", () => labs.pin());
  return [
    ...(mission ? missionEntries(mission) : []),
    ...settingEntries(lab),
    pin,
    entry("In this lab", "lab-all", "All labs and missions", "", () => labs.leave()),
  ];
}
