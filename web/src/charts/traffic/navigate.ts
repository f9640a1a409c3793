import { view } from "../../state/traffic/view.svelte.ts";

/** A pointer that moved less than this, in pixels, has clicked. */
const STILL = 4;
/** One notch of a wheel. */
const NOTCH = 100;
const CLOSER = 0.8;

const shareOf = (node: HTMLElement, pixels: number) => pixels / (node.clientWidth || 1);

/** A plain wheel scrolls the page, unless the charts have the focus. */
function wheel(node: HTMLElement, event: WheelEvent): void {
  const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
  const focused = document.activeElement?.matches("[data-time-keys]") ?? false;
  if (!sideways && !event.ctrlKey && !event.metaKey && !focused) return;
  event.preventDefault();
  if (sideways) return view.pan(shareOf(node, event.deltaX || event.deltaY));
  const share = shareOf(node, event.clientX - node.getBoundingClientRect().left);
  view.zoom(CLOSER ** (-event.deltaY / NOTCH), view.range.start + share * (view.range.end - view.range.start));
}

/** Where a pointer went down, and how far it has come since. */
class Drag {
  #from: number | null = null;
  #moved = 0;

  constructor(
    private readonly node: HTMLElement,
    private readonly onclick: (event: PointerEvent) => void,
  ) {}

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#from = event.clientX;
    this.#moved = 0;
    this.node.setPointerCapture(event.pointerId);
  }

  move(event: PointerEvent): void {
    if (this.#from === null) return;
    const by = event.clientX - this.#from;
    this.#moved += Math.abs(by);
    this.#from = event.clientX;
    if (this.#moved >= STILL) view.pan(-shareOf(this.node, by));
  }

  up(event: PointerEvent): void {
    if (this.#from !== null && this.#moved < STILL) this.onclick(event);
    this.#from = null;
  }

  cancel(): void {
    this.#from = null;
  }
}

/**
 * Moves through time by pointer: drag to pan, wheel sideways or with Shift to pan, wheel with Ctrl to zoom around the
 * pointer. A press that goes nowhere is a click.
 */
export function navigate(onclick: (event: PointerEvent) => void): (node: HTMLElement) => () => void {
  return (node) => {
    const drag = new Drag(node, onclick);
    const turned = (event: WheelEvent) => wheel(node, event);
    const listeners = new AbortController();
    const { signal } = listeners;
    node.addEventListener("wheel", turned, { passive: false, signal });
    node.addEventListener("pointerdown", (event) => drag.down(event), { signal });
    node.addEventListener("pointermove", (event) => drag.move(event), { signal });
    node.addEventListener("pointerup", (event) => drag.up(event), { signal });
    node.addEventListener("pointercancel", () => drag.cancel(), { signal });
    return () => listeners.abort();
  };
}
