import { notices } from "../state/notices.svelte.ts";
import * as words from "../words/notices.ts";

const PAUSE_MS = 2500;

/** Puts a link on the clipboard, or offers it to copy by hand where the browser keeps the clipboard closed. */
class Sharing {
  copied = $state(false);
  byHand = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `leftOut` names what the link cannot carry, which is said. */
  async share(link: string, leftOut: readonly string[]): Promise<void> {
    if (leftOut.length) notices.show({ id: "left-out", text: words.leftOut(leftOut) });
    try {
      await navigator.clipboard.writeText(link);
      this.copied = true;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => (this.copied = false), PAUSE_MS);
    } catch {
      this.byHand = link;
    }
  }
}

export const sharing = new Sharing();
