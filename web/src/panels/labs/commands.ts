import type { Lab } from "../../api/labs.ts";
import { labs } from "../../state/labs.svelte.ts";
import { studio } from "../../state/studio.svelte.ts";
import type { Command } from "../commands.ts";
import { reveal } from "../../ui/reveal.svelte.ts";
import { toControl } from "../../ui/travel.ts";

function entry(group: string, id: string, name: string, detail: string, run: () => void): Command {
  return { id, name, detail, group, also: ["lab"], run };
}

/** Opens a lab from anywhere. */
export function openLab(lab: Lab): void {
  labs.open(lab);
  studio.go("labs");
}

/** The labs there are, for the palette of any page. */
export function labEntries(): Command[] {
  return labs.list.map((lab) => entry("Labs", `lab-${lab.id}`, lab.title, "lab", () => openLab(lab)));
}

/** What can be done and set in the lab that is open. */
export function paletteOf(): Command[] {
  const { lab } = labs;
  if (!lab) return [];
  const controls = lab.controls.map(({ id, label, unit }) =>
    entry("In this lab", `lab-control-${id}`, label, unit, () => {
      reveal.settings = true;
      void toControl(`lab-${id}`);
    }),
  );
  const happenings = lab.events.map(({ id, title }) =>
    entry("In this lab", `lab-event-${id}`, title, labs.setup.events.includes(id) ? "on" : "off", () =>
      labs.toggle(id),
    ),
  );
  const pin = labs.pinned
    ? entry("In this lab", "lab-unpin", "Unpin the set-up", "", () => labs.unpin())
    : entry("In this lab", "lab-pin", "Pin this set-up", "", () => labs.pin());
  return [...controls, ...happenings, pin, entry("In this lab", "lab-all", "All labs", "", () => labs.leave())];
}
