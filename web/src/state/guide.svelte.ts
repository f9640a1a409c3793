import type { StartId } from "../words/starts.ts";

/** Which starting point the visitor came by; its section then says what to look at. */
class Guide {
  start = $state<StartId | null>(null);

  close(): void {
    this.start = null;
  }
}

export const guide = new Guide();
