import type { Deeds } from "../deeds.svelte.ts";
import { reveal } from "../../ui/reveal.svelte.ts";
import { toControl, travel } from "../../ui/travel.ts";
import { LABELS } from "../../words/traffic/labels.ts";
import { TRAFFIC_EXPERIMENTS } from "../../words/traffic/experiments.ts";
import { TRAFFIC_SECTIONS } from "../../words/sections.ts";
import { player } from "./player.svelte.ts";
import { PRESETS } from "./presets.ts";
import { FIELDS } from "./settings.ts";
import type { Field } from "./settings.ts";
import { takeFile } from "./tracefile.ts";
import { traffic } from "./traffic.svelte.ts";
import { view } from "./view.svelte.ts";

type Entry = NonNullable<Deeds["commands"]>[number];

function entry(group: string, id: string, name: string, run: () => void, detail = ""): Entry {
  return { id: `traffic-${id}`, name, detail, also: ["traffic"], group, run };
}

/** Controls that stand in the rail as the settings are. */
function isShown(field: Field): boolean {
  const { trace, process } = traffic.settings;
  const loop = process === "clients";
  if (field === "clients" || field === "think_s") return trace === null && loop;
  if (field === "requests_per_s" || field === "burst") return trace === null && !loop;
  if (field === "burstiness") return trace === null && process === "gamma";
  return trace === null || !["requests", "process", "prompt", "output", "seed"].includes(field);
}

function reach(field: Field): void {
  reveal.settings = true;
  if (["kv_blocks", "block_size", "watermark_fraction"].includes(field)) reveal.assumptions = true;
  void toControl(field);
}

/** What the traffic page does in place of the studio while it is shown. */
export const deeds: Deeds = {
  undo: () => traffic.undo(),
  redo: () => traffic.redo(),
  get history() {
    return traffic.history;
  },
  reset: () => traffic.reset(),
  resets: "Reset the traffic",
  drop: {
    hint: "Drop a file of requests: it goes to this machine’s server and nowhere else",
    take: (file) => void takeFile(file),
  },
  get commands() {
    const fields = FIELDS.filter(isShown);
    return [
      ...PRESETS.map(({ id, title, settings }) =>
        entry("Start from", `preset-${id}`, `Traffic: ${title}`, () => traffic.apply(settings, "preset")),
      ),
      entry("Do", "play", player.playing ? "Pause" : "Play", () => player.toggle(), "Space"),
      entry("Do", "all", "Show the whole run", () => view.showAll(), "0"),
      ...(traffic.status === "pending" ? [entry("Do", "stop", "Cancel the run", () => traffic.stop())] : []),
      ...TRAFFIC_SECTIONS.map(({ id, title }) =>
        entry("Go to", `section-${id}`, title, () => void travel(id), "section"),
      ),
      ...TRAFFIC_EXPERIMENTS.map(({ id, title }) =>
        entry("Predict", `experiment-${id}`, title, () => void travel("try", `[data-experiment="${id}"]`)),
      ),
      ...fields.map((field) =>
        entry("Set", `control-${field}`, LABELS[field].label, () => reach(field), LABELS[field].unit ?? ""),
      ),
    ];
  },
};
