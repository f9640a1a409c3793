import type { Estimate, Explanation, PhaseChange } from "../api/types.ts";
import type { Field } from "../state/config.ts";
import { fieldAt } from "../state/config.ts";
import type { Shown } from "../ui/format.ts";
import { count, figures, seconds, shift, text } from "../ui/format.ts";
import { figureValue } from "./explain.ts";
import type { FigureId } from "./figures.ts";
import { LABELS } from "./labels.ts";
import { details, configuration } from "./summary.ts";

/** How a figure stands against the baseline's: which way it went, whether that is good, and both in words. */
export interface Comparison {
  way: "up" | "down" | "same";
  good: boolean | null;
  words: string;
}

/** Below this share nothing is said to have changed. */
const NOTHING = 0.0005;

interface Manner {
  lowerIsBetter: boolean;
  better: string;
  worse: string;
}

const TIME: Manner = { lowerIsBetter: true, better: "faster", worse: "slower" };
const MANNERS: Record<FigureId, Manner> = {
  ttft: TIME,
  tpot: TIME,
  e2e: TIME,
  throughput: { lowerIsBetter: false, better: "more", worse: "less" },
  cost: { lowerIsBetter: true, better: "cheaper", worse: "dearer" },
};

/** "2.71× faster", "4.1 % slower": a factor where it is one, else per cent of the baseline. */
function amount(ratio: number): string {
  const factor = Math.max(ratio, 1 / ratio);
  return factor >= 1.1 ? `${figures(factor)}×` : `${figures(100 * Math.abs(ratio - 1))}\u00a0%`;
}

export function compare(id: FigureId, before: Estimate, after: Estimate): Comparison | null {
  const [old, now] = [figureValue(before, id), figureValue(after, id)];
  if (now === null) return null;
  if (old === null || old === 0) return { way: "same", good: null, words: "the baseline has no figure" };
  const ratio = now / old;
  if (Math.abs(ratio - 1) < NOTHING) return { way: "same", good: null, words: "as the baseline" };
  const { lowerIsBetter, better, worse } = MANNERS[id];
  const good = ratio < 1 === lowerIsBetter;
  return { way: ratio > 1 ? "up" : "down", good, words: `${amount(ratio)} ${good ? better : worse} than the baseline` };
}

export const SIGNS: Record<Comparison["way"], string> = { up: "▲", down: "▼", same: "=" };

export function described(estimate: Estimate): string {
  return [configuration(estimate), ...details(estimate)].join(" · ");
}

type ChangeValue = Explanation["changes"][number]["after"];

/** What leaving a field to the API is called. */
const UNSET: Partial<Record<Field, string>> = {
  weights: "as published",
  compute: "automatic",
  link_bytes_per_s: "as the datasheet",
  replicate_kv_heads: "not allowed",
};

function shownValue(field: string, value: ChangeValue): string {
  const known = fieldAt(field);
  if (value === null) return (known && UNSET[known]) ?? "not given";
  if (typeof value !== "number") return String(value);
  const { exponent = 0, unit } = known ? LABELS[known] : {};
  return `${count(shift(value, exponent))}${unit ? `\u00a0${unit}` : ""}`;
}

/** "Weights format: as published → int4" */
export function changeWords({ changes }: Explanation): string[] {
  return changes.map(({ field, before, after }) => {
    const known = fieldAt(field);
    return `${known ? LABELS[known].label : field}: ${shownValue(field, before)} → ${shownValue(field, after)}`;
  });
}

const PARTS: Record<string, string> = {
  linear: "Linear layers",
  attention: "Attention",
  communication: "Communication",
  overhead: "Overhead",
};

export const PHASE_TITLES: Record<string, string> = { prefill: "The prefill", decode: "One decode step, on average" };

export interface PartRow {
  name: string;
  before: { shown: Shown; exact: string };
  after: { shown: Shown; exact: string };
  difference: { words: string; exact: string };
  bound: string;
}

/** "−4.62 ms", "+1.20 ms", "0" */
export function signed(value: number): string {
  if (value === 0) return "0";
  return `${value < 0 ? "−" : "+"}${text(seconds(Math.abs(value)))}`;
}

function boundWords(before: string | null, after: string | null): string {
  if (before === null || after === null) return "";
  return before === after ? `${after}-bound` : `${before}-bound, now ${after}-bound`;
}

/** The parts whose differences add up to the phase's; parts that are nothing on both sides are left out. */
export function partRows(phase: PhaseChange): PartRow[] {
  return phase.parts
    .filter((part) => part.before_s || part.after_s)
    .map((part) => ({
      name: PARTS[part.part] ?? part.part,
      before: { shown: seconds(part.before_s), exact: `${part.before_s} s` },
      after: { shown: seconds(part.after_s), exact: `${part.after_s} s` },
      difference: { words: signed(part.difference_s), exact: `${part.difference_s} s` },
      bound: boundWords(part.before_bound, part.after_bound),
    }));
}
