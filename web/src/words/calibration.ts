/** What stands behind a figure, in words: the textbook's assumptions, or measurements and how far they lie apart. */
import type { Accelerator, Estimate } from "../api/types.ts";
import { plural, text } from "../ui/format.ts";
import { ENGINE_NAMES } from "./engine.ts";
import { FIGURES } from "./explain.ts";
import type { FigureId } from "./figures.ts";

export const ANALYTICAL = "Analytical model · not a benchmark";

/** The button beside it: to measured step times, and back. */
export const FORTH = "Use calibrated step times";
export const BACK = "Back to the textbook";

export const MEASURED_ENGINE = {
  label: "Calibrated for",
  help: "The engine whose measured step times are taken; the memory it would leave is told for the same one.",
};

type Stands = NonNullable<Estimate["calibration"]>;

/** Half the interval: in per cent, as a factor where it is as wide as the figure. */
function width({ half_width }: Stands): string {
  if (half_width === null) return "";
  if (half_width >= 1) return ` · up to ${(1 + half_width).toFixed(1)}× off`;
  return ` · ± ${(100 * half_width).toFixed(half_width < 0.0995 ? 1 : 0)}\u00a0%`;
}

/** The label above the answer: "calibrated · ± 8.1 %", "uncalibrated · ± 70 %" or that it is the textbook. */
export function label(estimate: Estimate): string {
  const { calibration } = estimate;
  if (!calibration) return ANALYTICAL;
  const carried = calibration.carried_from ? ` from ${calibration.carried_from}` : "";
  return `${calibration.status}${carried}${width(calibration)}`;
}

/** What is simulated: the scheduler always, its step times by the textbook or as measured. */
export function simulatedLabel(estimate: Estimate | null): string {
  const calibration = estimate?.calibration;
  if (!calibration) return "Simulated scheduler · not a benchmark";
  return `Simulated scheduler · step times ${calibration.status}${width(calibration)}`;
}

/** Names of an accelerator and an engine as people write them. */
const engineName = (engine: string): string => ENGINE_NAMES[engine] ?? engine;
const cardName = (id: string, known: readonly Pick<Accelerator, "id" | "name">[]): string =>
  known.find((card) => card.id === id)?.name ?? id;

/** On what a calibrated figure rests, in a sentence or two; null for the textbook's. */
export function rests(estimate: Estimate, known: readonly Pick<Accelerator, "id" | "name">[]): string | null {
  const { calibration } = estimate;
  if (!calibration) return null;
  const { engine, rows, models, carried_from } = calibration;
  const here = `${engineName(engine)} on ${estimate.deployment.accelerator.name}`;
  if (calibration.status === "uncalibrated")
    return `Nothing was measured that is near ${here}: the general terms stand in, and the interval is wide.`;
  const fitted = `Fitted to ${plural(rows, "measurement")} of ${plural(models, "model")}`;
  if (!carried_from) return `${fitted} with ${here}.`;
  return `${fitted} with ${engineName(engine)} on ${cardName(carried_from, known)}, and taken over to ${estimate.deployment.accelerator.name} by the ratio of the datasheets: the interval is wider for it.`;
}

const KEYS = { ttft: "ttft_s", tpot: "tpot_s", throughput: "output_tokens_per_s" } as const;

export interface Between {
  /** "8.1–9.9 ms" */
  short: string;
  /** The same in words, for screen readers. */
  words: string;
}

/** Between what 80 % of measurements of a figure lie; null where it has no interval. */
export function between(estimate: Estimate, id: FigureId): Between | null {
  const found = id in KEYS ? estimate.interval?.[KEYS[id as keyof typeof KEYS]] : null;
  if (!found) return null;
  const { show } = FIGURES[id];
  const [low, high] = [show(found.low), show(found.high)];
  const short = low.unit === high.unit ? `${low.number}–${text(high)}` : `${text(low)} – ${text(high)}`;
  return { short, words: `80 % of measurements lie between ${text(low)} and ${text(high)}` };
}

/** How far off such a figure may be, for where its formula is explained. */
export function sureness(estimate: Estimate, id: string, known: readonly Pick<Accelerator, "id" | "name">[]): string {
  const { calibration } = estimate;
  if (!calibration)
    return "The textbook’s figure, not a benchmark: datasheet rates times assumed shares. How far such figures have been from measured ones is on the page Accuracy; calibrated step times come closer.";
  const found = id in FIGURES ? between(estimate, id as FigureId) : null;
  return [rests(estimate, known), found && `${found.words}.`].filter(Boolean).join(" ");
}
