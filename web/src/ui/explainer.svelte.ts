import type { Explained } from "../words/figures.ts";

/** Which number's formula is open. */
class Explainer {
  open = $state<Explained | null>(null);
}

export const explainer = new Explainer();
