import type { Assignment } from "./assignment.ts";
import { FREE } from "./assignment.ts";
import type { Play } from "./lablink.ts";

/** What is asked of whoever plays, and how much help was asked for so far. */
export class Task {
  assignment = $state.raw<Assignment>(FREE);
  /** The mission as a sheet to print stands in place of the lab. */
  handout = $state(false);
  /** Which of the mission's hints are shown, by their places among them, as they were asked for. */
  hints = $state.raw<readonly number[]>([]);
  /** Whether what explains it was asked for, solved or not. */
  revealed = $state(false);

  get play(): Play {
    return { assignment: this.assignment, handout: this.handout };
  }

  hint(place: number): void {
    if (!this.hints.includes(place)) this.hints = [...this.hints, place];
  }

  take(assignment: Assignment): void {
    this.assignment = assignment;
    this.hints = [];
    this.revealed = false;
  }
}
