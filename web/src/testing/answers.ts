import type { Estimate, Explanation, ModelAnswer } from "../api/types.ts";
import anatomy from "./anatomy.json";
import int4 from "./int4.json";
import example from "./example.json";
import latent from "./latent.json";
import mixture from "./mixture.json";
import tooLarge from "./too-large.json";

/** Answers of the API as it gave them: the page's working example, and one that does not fit. */
export const EXAMPLE = example as unknown as Estimate;
export const TOO_LARGE = tooLarge as unknown as Estimate;

/** A mixture of experts with windows in every second layer; one with a latent cache, on eight devices. */
export const MIXTURE = mixture as unknown as Estimate;
export const LATENT = latent as unknown as Estimate;

/** What is understood of the mixture. */
export const ANATOMY = (anatomy as unknown as ModelAnswer).understood;

/** Why int4 weights differ from the working example. */
export const INT4 = int4 as unknown as Explanation;
