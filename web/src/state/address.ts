/**
 * Keeps the address bar in step. A run of edits to one control (a dragged slider, a number being typed) is one step of
 * the history, so Back undoes whole edits. The first is written at once, for a page may be loaded again right after it;
 * those that follow wait a moment, because browsers refuse floods of history calls.
 */
const PAUSE_MS = 200;

/** The edit that only tidies the address one arrived at: never a step of its own. */
export const ARRIVAL = "arrival";

export interface Address {
  write(hash: string, edit: string): void;
  flush(): void;
}

export function createAddress(onArrive: (hash: string) => void): Address {
  let lastEdit: string | null = null;
  let pending: { hash: string; edit: string } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!pending) return;
    const { hash, edit } = pending;
    pending = null;
    if (location.hash === `#${hash}`) return;
    if (edit !== ARRIVAL) timer = setTimeout(flush, PAUSE_MS);
    const replace = edit === lastEdit || edit === ARRIVAL || location.hash === "";
    lastEdit = edit;
    history[replace ? "replaceState" : "pushState"](null, "", `#${hash}`);
  }

  function write(hash: string, edit: string): void {
    if (pending && pending.edit !== edit) flush();
    pending = { hash, edit };
    if (timer === undefined) flush();
  }

  addEventListener("pagehide", flush);
  // Back, forward and an address typed by hand all end in one of these; both may fire for one step.
  for (const type of ["popstate", "hashchange"]) {
    addEventListener(type, () => {
      pending = null;
      lastEdit = null;
      onArrive(location.hash);
    });
  }
  return { write, flush };
}
