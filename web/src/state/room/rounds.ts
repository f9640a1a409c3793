/** Where training stands: five stages make a round. */
export const STAGES = ["examples", "forward", "loss", "backward", "update"] as const;
export type Stage = (typeof STAGES)[number];

export interface Place {
  /** From 0. */
  round: number;
  stage: Stage;
  /** Rounds whose probability is known: the forward pass gives it. */
  seen: number;
  /** Rounds whose loss is known. */
  lost: number;
}

/** After `done` stages of `rounds` rounds; the last round stays where it ended. */
export function placeOf(done: number, rounds: number): Place {
  const at = Math.min(done, rounds * STAGES.length - 1);
  const round = Math.floor(at / STAGES.length);
  const index = at % STAGES.length;
  return {
    round,
    stage: STAGES[index] ?? "examples",
    seen: round + (index >= 1 ? 1 : 0),
    lost: round + (index >= 2 ? 1 : 0),
  };
}

/** How many stages there are to step through, the first being where training begins. */
export function lastStage(rounds: number): number {
  return rounds * STAGES.length - 1;
}
