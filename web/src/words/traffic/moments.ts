import type { RequestLife, Step } from "../../api/traffic.ts";
import type { Move } from "../../state/traffic/player.svelte.ts";
import { count, figures, plural, seconds, share, text } from "../../ui/format.ts";

const PLACES = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 3 });

/** A moment of simulated time, with as many places as tell iterations apart: "12.345 s". */
export function moment(at: number): string {
  return `${PLACES.format(at)}\u00a0s`;
}

/** How much simulated time goes by in as much real time: "5×". */
export function speedWords(speed: number): string {
  return `${count(speed)}×`;
}

const STEP_HINT = "Step from one iteration to the next, or click in a chart to go to a moment.";

/** What one iteration does, in a line. */
export function stepWords(step: Step | null, end: Move | null): string {
  if (!step || step.row === null || step.start_s === null || step.end_s === null)
    return end ? `There is no ${end === "previous" ? "earlier" : "later"} iteration.` : STEP_HINT;
  const took = step.end_s - step.start_s;
  const stalled = took - (step.decode_s ?? took);
  const doing = [
    step.prefill_tokens ? `${plural(step.prefill_tokens, "prompt token")}` : "",
    step.decoding ? `${figuresOf(step.decoding)} decoding` : "",
  ].filter(Boolean);
  const late = step.decoding && stalled > took * 1e-6 ? `, ${text(seconds(stalled))} of it prefill they wait for` : "";
  const held = step.kv_occupancy === null ? "" : `; KV cache ${text(share(step.kv_occupancy))}`;
  return `Row ${count(step.row + 1)} of ${count(step.rows)}: ${doing.join(", ") || "nothing runs"}, ${figuresOf(step.waiting ?? 0)} waiting${held}. It takes ${text(seconds(took))}${late}.`;
}

/** Counts over several passes alike are means. */
function figuresOf(value: number): string {
  return Number.isInteger(value) ? count(value) : figures(value);
}

/** "Request 1,711: 512 tokens in, 130 out" */
export function requestTitle(life: RequestLife): string {
  return `Request ${count(life.request)}: ${plural(life.prompt_tokens, "token")} in, ${count(life.output_tokens)} out`;
}

/** How it fared under one policy. */
export function lifeWords(life: RequestLife): string {
  if (life.rejected || life.ttft_s === null || life.e2e_s === null)
    return "rejected: it may need more than the whole cache";
  const again = life.preemptions ? `, preempted ${plural(life.preemptions, "time")}` : "";
  return `first token after ${text(seconds(life.ttft_s))}, done after ${text(seconds(life.e2e_s))}${again}`;
}
