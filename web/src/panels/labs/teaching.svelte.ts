import type { Mission } from "../../api/labs.ts";

/** The dialog for teachers: whether it is open, and the mission that its link leads to. */
class Teaching {
  open = $state(false);
  /** By key. */
  mission = $state<string | null>(null);

  show(mission: Mission): void {
    this.mission = mission.key;
    this.open = true;
  }
}

export const teaching = new Teaching();
