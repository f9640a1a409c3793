/** Lengths of prompts or outputs: a distribution by its kind, with the numbers that kind needs. */
export interface Lengths {
  kind: Kind;
  /** In the order of NEEDS. */
  numbers: readonly number[];
}

export const KINDS = ["fixed", "uniform", "exponential", "lognormal"] as const;
export type Kind = (typeof KINDS)[number];

/** What each kind is made from, as the API names it. */
export const NEEDS: Record<Kind, readonly string[]> = {
  fixed: ["tokens"],
  uniform: ["low", "high"],
  exponential: ["mean"],
  lognormal: ["mean", "sigma"],
};

const MOST_TOKENS = 1e15;
const MOST_SIGMA = 20;
const NUMBER = /^\d*\.?\d+(e[-+]?\d+)?$/i;

function inside(name: string, value: number): boolean {
  if (name === "sigma") return value >= 0 && value <= MOST_SIGMA;
  if (name === "tokens") return Number.isInteger(value) && value >= 1 && value <= MOST_TOKENS;
  return name === "mean" ? value > 0 && value <= MOST_TOKENS : value >= 0 && value <= MOST_TOKENS;
}

function isKind(text: string): text is Kind {
  return (KINDS as readonly string[]).includes(text);
}

/** Whether the numbers are ones that the kind can have. */
export function usable({ kind, numbers }: Lengths): boolean {
  const needs = NEEDS[kind];
  if (numbers.length !== needs.length || !needs.every((name, i) => inside(name, numbers[i]!))) return false;
  return kind !== "uniform" || numbers[0]! <= numbers[1]!;
}

/** "lognormal:512:0.8", as the command line takes it. */
export function spell({ kind, numbers }: Lengths): string {
  return [kind, ...numbers].join(":");
}

/** The lengths that a text stands for, or undefined. */
export function parse(text: string): Lengths | undefined {
  const [kind = "", ...rest] = text.split(":");
  if (!isKind(kind) || !rest.every((part) => NUMBER.test(part))) return undefined;
  const lengths = { kind, numbers: rest.map(Number) };
  return usable(lengths) ? lengths : undefined;
}

/** As the API takes them. */
export function toRequest({ kind, numbers }: Lengths): Record<string, unknown> {
  return { kind, ...Object.fromEntries(NEEDS[kind].map((name, i) => [name, numbers[i]])) };
}

/** From what the API writes: an object with a kind, or a whole number. */
export function fromRequest(value: unknown): Lengths | undefined {
  if (typeof value === "number") return { kind: "fixed", numbers: [value] };
  const { kind = "", ...given } = (value ?? {}) as Record<string, unknown>;
  if (typeof kind !== "string" || !isKind(kind)) return undefined;
  const lengths = { kind, numbers: NEEDS[kind].map((name) => Number(given[name])) };
  return usable(lengths) ? lengths : undefined;
}

/** The mean before rounding. */
export function mean({ kind, numbers }: Lengths): number {
  return kind === "uniform" ? (numbers[0]! + numbers[1]!) / 2 : numbers[0]!;
}

/** The same mean as another kind, so that a change of kind changes little else. */
export function asKind(lengths: Lengths, kind: Kind): Lengths {
  const about = Math.max(1, Math.round(mean(lengths)));
  const numbers = {
    fixed: [about],
    uniform: [Math.ceil(about / 2), Math.floor(about * 1.5)],
    exponential: [about],
    lognormal: [about, 0.8],
  };
  return { kind, numbers: numbers[kind] };
}
