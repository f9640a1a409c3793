import { ROOM_KEY, recall, remember } from "../storage.ts";

/** Whether the room is open, as it was left at the last visit. Everything behind the door comes once it is. */
class Door {
  open = $state(recall(ROOM_KEY) !== "folded");

  toggle(): void {
    this.open = !this.open;
    remember(ROOM_KEY, this.open ? "open" : "folded");
  }
}

export const door = new Door();
