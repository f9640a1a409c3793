/** Training of one weight as it is asked for: its bounds are the API's. */
export const LOWEST = -3;
export const HIGHEST = 3;
export const WEIGHT_STEP = 0.5;
/** Rounds that the plot has room for. */
export const ROUNDS = 20;
