/** One colour a quantity, everywhere: the names the API gives, and the page's own tokens. */
const PAINTS: Record<string, string> = {
  math: "var(--q-math)",
  traffic: "var(--q-traffic)",
  communication: "var(--q-communication)",
  overhead: "var(--q-overhead)",
  weights: "var(--q-weights)",
  kv: "var(--q-kv)",
  workspace: "var(--q-workspace)",
  reserve: "var(--q-reserve)",
  free: "var(--line-strong)",
  queue: "var(--q-queue)",
  prefill: "var(--q-math)",
  decode: "var(--q-traffic)",
  preempted: "var(--q-preempted)",
  plain: "var(--ink-2)",
  accent: "var(--accent)",
};

export function paint(colour: string): string {
  return PAINTS[colour] ?? "var(--accent)";
}

/** Lines differ in their dashes too, so that colour is never the only sign. */
const DASHES = ["none", "7 3", "2 3", "9 3 2 3", "1 4", "12 4"];

export function dashes(index: number): string {
  return DASHES[index % DASHES.length]!;
}

/** One of a token's two colours; hexadecimal ones, which hold no comma. */
const EITHER = /^light-dark\(([^,]+),([^,]+)\)$/;

/** The colour that a token comes to: a canvas knows neither tokens nor themes. */
export function inTheme(token: string, mode: "light" | "dark"): string {
  const [, light, dark] = EITHER.exec(token.trim()) ?? [];
  return (mode === "light" ? light : dark)?.trim() ?? token.trim();
}

/** A paint as a canvas takes it. */
export function resolved(of: string, mode: "light" | "dark"): string {
  const name = /^var\((--[\w-]+)\)$/.exec(of)?.[1];
  return name ? inTheme(getComputedStyle(document.documentElement).getPropertyValue(name), mode) : of;
}
