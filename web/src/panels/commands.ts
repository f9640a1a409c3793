import { PAGES, PAGE_NAMES } from "../pages/pages.ts";
import { begin } from "../state/begin.ts";
import type { Field } from "../state/config.ts";
import { ENGINE_FIELDS, FIELDS } from "../state/config.ts";
import { forms } from "../state/forms.svelte.ts";
import { shown } from "../state/deeds.svelte.ts";
import { share } from "../state/share.ts";
import { studio } from "../state/studio.svelte.ts";
import { theme } from "../state/theme.svelte.ts";
import type { Option } from "../ui/filter.ts";
import { reveal } from "../ui/reveal.svelte.ts";
import { toControl, travel } from "../ui/travel.ts";
import { EXPERIMENTS } from "../words/experiments.ts";
import { ASSUMPTIONS, LABELS } from "../words/labels.ts";
import { SECTIONS } from "../words/sections.ts";
import { STARTS } from "../words/starts.ts";
import { labEntries } from "./labs/commands.ts";
import { roomEntries } from "./room/commands.ts";

export interface Command extends Option {
  run: () => void;
}

type Entry = Omit<Command, "group" | "also" | "detail"> & { detail?: string; also?: string[] };

function group(name: string, entries: readonly Entry[]): Command[] {
  return entries.map((entry) => ({ detail: "", also: [], ...entry, group: name }));
}

function pages(): Entry[] {
  return PAGE_NAMES.map((page) => ({
    id: `page-${page}`,
    name: PAGES[page].title,
    detail: "page",
    run: () => studio.go(page),
  }));
}

function sections(): Entry[] {
  const there = SECTIONS.filter(({ id }) => id !== "compare" || studio.baseline.config);
  return there.map(({ id, title }) => ({
    id: `section-${id}`,
    name: title,
    detail: "section",
    run: () => {
      studio.go("studio");
      void travel(id);
    },
  }));
}

function experiments(): Entry[] {
  return EXPERIMENTS.map(({ id, title }) => ({
    id: `experiment-${id}`,
    name: title,
    also: ["predict"],
    run: () => {
      reveal.experiment = id;
      studio.go("predict");
    },
  }));
}

function controls(): Entry[] {
  const hidden = studio.irrelevant;
  return FIELDS.filter((field) => !hidden.includes(field)).map((field) => ({
    id: `control-${field}`,
    name: LABELS[field].label,
    detail: LABELS[field].unit ?? "",
    also: [field],
    run: () => reach(field),
  }));
}

function reach(field: Field): void {
  studio.go("studio");
  if (ASSUMPTIONS.includes(field)) reveal.assumptions = true;
  reveal.settings = !ENGINE_FIELDS.includes(field);
  void toControl(field);
}

function actions(): Entry[] {
  const { baseline, estimate } = studio;
  const pinned = baseline.config !== null;
  const here = shown.acting ?? studio;
  return [
    ...(here.history.canUndo ? [{ id: "undo", name: "Undo", detail: "Ctrl Z", run: () => here.undo() }] : []),
    ...(here.history.canRedo ? [{ id: "redo", name: "Redo", detail: "Ctrl Shift Z", run: () => here.redo() }] : []),
    ...(shown.acting ? [{ id: "reset-page", name: shown.acting.resets, run: () => shown.acting?.reset() }] : []),
    ...(estimate ? [{ id: "pin", name: "Pin this answer as the baseline", run: () => studio.pin() }] : []),
    ...(pinned ? [{ id: "unpin", name: "Unpin the baseline", run: () => baseline.unpin() }] : []),
    {
      id: "share",
      name: "Copy a link to this configuration",
      run: share,
    },
    { id: "theme", name: `Switch to the ${theme.other} theme`, run: () => theme.toggle() },
    { id: "own-model", name: "Use a config.json", also: ["own model"], run: () => forms.show("model") },
    { id: "own-accelerator", name: "Give figures of your own accelerator", run: () => forms.show("accelerator") },
    { id: "reset", name: "Reset configuration and baseline", run: () => studio.reset() },
    { id: "keys", name: "Keys", detail: "?", run: () => (reveal.keys = true) },
  ];
}

/** Everything that can be done, in the order in which it is offered. */
export function commands(): Command[] {
  const starts = STARTS.map(({ id, question }) => ({ id: `start-${id}`, name: question, run: () => void begin(id) }));
  return [
    ...(shown.acting?.commands ?? []),
    ...group("Start from a question", starts),
    ...group("Do", actions()),
    ...group("Go to", [...pages(), ...sections()]),
    ...roomEntries(),
    ...labEntries(),
    ...group("Set", controls()),
    ...group("Predict", experiments()),
  ];
}
