import type { Estimate } from "../api/types.ts";
import type { Mark, Roofline } from "../charts/roofline.ts";
import { roof } from "../charts/roofline.ts";
import { figures, flopRate, intensity, share, text } from "../ui/format.ts";
import { STAGES, tries } from "./bottleneck.ts";
import type { Try } from "./bottleneck.ts";

export const CEILING =
  "The ceiling is simplified: two rates of the datasheet times the assumed utilisations. It is not a measured rate.";

const PHASES = { prefill: "Prefill", decode: "Decode" } as const;

/** "Decode, linear layers", "Prefill as a whole" */
export function nameOf(mark: Pick<Mark, "phase" | "stage">): string {
  const phase = PHASES[mark.phase];
  return mark.stage ? `${phase}, ${STAGES[mark.stage].toLowerCase()}` : `${phase} as a whole`;
}

/** Which side of the knee a point is on, and how far. */
function side(mark: Mark, of: Roofline): string {
  const ratio = mark.intensity / of.knee;
  if (ratio >= 1) return `${figures(ratio)} times the work per byte at which arithmetic takes over`;
  return `${figures(1 / ratio)} times too little work per byte to keep the arithmetic busy`;
}

/** What a point says, in one or two sentences. */
export function meaning(mark: Mark, of: Roofline): string {
  const used = text(share(mark.flop_per_s / of.flop_per_s));
  const first = `${nameOf(mark)} does ${text(intensity(mark.intensity))}: ${side(mark, of)}.`;
  const whole =
    mark.stage === null && mark.flop_per_s < 0.99 * roof(of, mark.intensity)
      ? " The whole phase stands below the roof: its stages take turns and it pays overhead."
      : "";
  return `${first} It runs at ${text(flopRate(mark.flop_per_s))} a device, ${used} of the arithmetic it could have.${whole}`;
}

/** The same point as a label for the button it is. */
export function label(mark: Mark, number: number): string {
  return `${number}: ${nameOf(mark)}, ${text(intensity(mark.intensity))}, ${text(flopRate(mark.flop_per_s))}`;
}

export function headline(of: Roofline): string {
  const decode = of.marks.find(({ id }) => id === "decode");
  const prefill = of.marks.find(({ id }) => id === "prefill");
  if (!prefill) return "Nothing to place";
  const where = (mark: Mark) => (mark.intensity >= of.knee ? "right of the knee" : "left of the knee");
  if (!decode) return `Prefill is ${where(prefill)}`;
  if (where(prefill) === where(decode)) return `Prefill and decode are both ${where(decode)}`;
  return `Prefill is ${where(prefill)}, decode ${where(decode)}`;
}

export const STORY =
  "Every byte fetched from memory brings some arithmetic with it. Left of the knee the device waits for bytes, so only fewer bytes or more work for each of them help; right of it, it waits for arithmetic.";

/** What moves the decode point: more requests share each byte of the weights. */
export function next(mark: Mark | undefined, estimate: Estimate): Try[] {
  const phase = mark?.phase === "prefill" ? estimate.prefill : estimate.decode;
  return tries(phase?.bottleneck ?? null, estimate);
}
