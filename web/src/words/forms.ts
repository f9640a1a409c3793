import { isRate } from "../state/card.ts";

/** The words of the two forms: a model of one's own, and an accelerator of one's own. */

const LABELS: Record<string, string> = {
  name: "Name",
  memory_bytes: "Memory",
  bandwidth_bytes_per_s: "Memory bandwidth",
  link_bytes_per_s: "Link, one way",
  price_usd_per_hour: "Price",
  memory_reported_bytes: "Memory as reported",
};

const HELP: Record<string, string> = {
  name: "What the page calls it.",
  memory_bytes: "As sold. Another unit may follow the number: 24 GiB.",
  bandwidth_bytes_per_s: "Of the datasheet: 3350, or 3.35 TB/s.",
  link_bytes_per_s: "Between devices. Several devices need it.",
  price_usd_per_hour: "Of one device. The cost needs it.",
  memory_reported_bytes: "What its driver reports, where that is known.",
};

export function entryLabel(path: string): string {
  return isRate(path) ? `${path.slice(path.indexOf(".") + 1)} rate` : (LABELS[path] ?? path);
}

export function entryHelp(path: string): string | null {
  return HELP[path] ?? null;
}

export function emptyEntry(path: string): string {
  return `${entryLabel(path)} is empty; it is needed for every figure.`;
}

export function unreadEntry(typed: string, usual: string): string {
  return `“${typed.trim().slice(0, 40)}” is no quantity; write a number, in ${usual} or with its unit.`;
}

export const MODEL_FORM = {
  title: "A model of your own",
  lead: "Paste the config.json of any model, choose the file, or drop it anywhere on the page. The server on this machine reads it; it goes nowhere else.",
  text: "config.json",
  file: "Choose a file",
  name: "Name",
  use: "Use this model",
  empty: "Nothing is pasted yet.",
  asking: "Reading …",
  kept: "The last model stays in use.",
} as const;

export const ACCELERATOR_FORM = {
  title: "An accelerator of your own",
  lead: "Figures of a datasheet, in the units people write. What stays empty is not known: nothing is guessed, and what depends on it stays open.",
  rates: "Dense compute rates by number format",
  ratesHelp:
    "Dense, not sparse. With a bf16 or fp16 rate latency and throughput are answered; the others are used when a compute format is chosen.",
  use: "Use this accelerator",
} as const;

/** A name for what a file holds: config.json itself says nothing. */
export function nameFromFile(file: string): string {
  const stem = file.replace(/\.json$/i, "");
  return stem.toLowerCase() === "config" ? "" : stem;
}
