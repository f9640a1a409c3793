import type { Kind } from "./own.ts";

/** A text that came from a file, to be looked at as a model. */
export interface Given {
  text: string;
  name: string;
  /** The object of one's own that what comes of it replaces. */
  instead?: string;
}

/** Which form is open, what came with it, and whether a file hovers over the page. */
class Forms {
  open = $state<Kind | null>(null);
  dragging = $state(false);
  given = $state.raw<Given | null>(null);
  /** The text of a start-up log or the like that was dropped, for the section that reads it. */
  log = $state.raw<string | null>(null);

  show(kind: Kind, given: Given | null = null): void {
    this.given = given;
    this.open = kind;
  }

  close(): void {
    this.open = null;
    this.given = null;
  }
}

export const forms = new Forms();
