import type { Mission } from "../api/labs.ts";
import type { Assignment } from "./assignment.ts";
import { FREE } from "./assignment.ts";
import type { Play } from "./lablink.ts";

/** What is asked of whoever plays, and how much help was asked for so far. */
export class Task {
  assignment = $state.raw<Assignment>(FREE);
  /** The mission as a sheet to print stands in place of the lab. */
  handout = $state(false);
  /** How many of the mission's hints are shown. */
  hints = $state(0);
  /** Whether what explains it was asked for, solved or not. */
  revealed = $state(false);

  get play(): Play {
    return { assignment: this.assignment, handout: this.handout };
  }

  hint(mission: Mission): void {
    this.hints = Math.min(this.hints + 1, mission.hints.length);
  }

  take(assignment: Assignment): void {
    this.assignment = assignment;
    this.hints = 0;
    this.revealed = false;
  }
}
