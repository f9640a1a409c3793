import { ROOM_KEY, recall, remember } from "../storage.ts";

/** On a phone the room would stand before the answer: there it is folded until somebody opens it. */
const ROOMY = "(min-width: 600px)";

function atFirst(): boolean {
  const left = recall(ROOM_KEY);
  return left === null ? matchMedia(ROOMY).matches : left !== "folded";
}

/** Whether the room is open, as it was left at the last visit. Everything behind the door comes once it is. */
class Door {
  open = $state(atFirst());

  toggle(): void {
    this.open = !this.open;
    remember(ROOM_KEY, this.open ? "open" : "folded");
  }
}

export const door = new Door();
