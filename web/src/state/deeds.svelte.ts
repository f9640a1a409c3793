import type { Option } from "../ui/filter.ts";

export interface Undoable {
  undo: () => void;
  redo: () => void;
  readonly history: { readonly canUndo: boolean; readonly canRedo: boolean };
}

/** What a page with a state of its own does in place of the studio, for as long as it is shown. */
export interface Deeds extends Undoable {
  /** Back to the defaults of this page alone; `resets` says so in the palette. */
  reset: () => void;
  resets: string;
  /** What the window is called. */
  readonly title?: string;
  /** What a file is for that is dropped on this page, and what becomes of it. */
  readonly drop?: { hint: string; take: (file: File) => void };
  /** More entries for the palette. */
  readonly commands?: readonly (Option & { run: () => void })[];
}

class Shown {
  acting = $state.raw<Deeds | null>(null);

  /** For an effect of the page: what comes back hands over to the studio again. */
  take(deeds: Deeds): () => void {
    this.acting = deeds;
    return () => {
      if (this.acting === deeds) this.acting = null;
    };
  }
}

export const shown = new Shown();
