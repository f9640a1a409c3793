import type { Kind } from "../state/own.ts";

/** A setting that is not understood may be as long as a link. */
const LONGEST = 80;

export function ignored(pairs: readonly string[]): string {
  const list = pairs.map((pair) => (pair.length > LONGEST ? `${pair.slice(0, LONGEST)}…` : pair)).join(", ");
  return pairs.length === 1
    ? `One setting could not be used and was left out: ${list}.`
    : `${pairs.length} settings could not be used and were left out: ${list}.`;
}

export const UNREACHABLE = "The server did not answer.";

export function unreachable(hasFigures: boolean): string {
  return `${UNREACHABLE}${hasFigures ? " The figures shown are the last ones it gave." : ""}`;
}

export function refused(messages: readonly string[]): string {
  return messages.join(" ");
}

export function lowered(degree: number, reason: string): string {
  return `Tensor parallel degree set to ${degree}: ${reason.replace(/\.$/, "")}.`;
}

export const GIVE_OWN: Record<Kind, string> = {
  model: "Give its config.json",
  accelerator: "Give its figures",
};

/** Said when a link is shared: what of the configuration it cannot carry. */
export function leftOut(names: readonly string[]): string {
  return `The link carries the settings, but not ${names.join(" and ")}: too long for a link. Whoever opens it is asked for it.`;
}

/** Said where a link names what was too long for it and is not in this browser. */
export function missingOwn(kind: Kind, instead: string): string {
  return `The link was made with ${kind === "model" ? "a model" : "an accelerator"} that was too long to go into it. Everything else is as it was; ${instead} stands in.`;
}

/** A part of the page that has a script of its own did not arrive. */
export const UNLOADED =
  "This part of the page could not be fetched: the server did not answer. Nothing you set is lost.";
export const RELOAD = "Load the page again";
