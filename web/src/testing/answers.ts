import type { Estimate, Explanation } from "../api/types.ts";
import int4 from "./int4.json";
import example from "./example.json";
import tooLarge from "./too-large.json";

/** Answers of the API as it gave them: the page's working example, and one that does not fit. */
export const EXAMPLE = example as unknown as Estimate;
export const TOO_LARGE = tooLarge as unknown as Estimate;

/** Why int4 weights differ from the working example. */
export const INT4 = int4 as unknown as Explanation;
