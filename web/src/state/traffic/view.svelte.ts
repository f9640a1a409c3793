import type { Range } from "../../charts/traffic/time.ts";
import { around, clamp, pan, sameRange, zoom } from "../../charts/traffic/time.ts";
import type { Policy } from "./question.ts";

/** How much simulated time goes by in a second, at the choice of whoever plays. */
export const SPEEDS = [0.01, 0.1, 0.5, 1, 2, 5, 10, 50, 200, 1000] as const;

/** A whole run played takes about this long, unless another speed is chosen. */
const WHOLE_TAKES_S = 20;

/** What of a comparison is looked at: a stretch of time, a moment in it, a policy, a request. */
class View {
  whole = $state.raw<Range>({ start: 0, end: 1 });
  range = $state.raw<Range>({ start: 0, end: 1 });
  /** The moment that is looked at; null before anybody sought one. */
  at = $state<number | null>(null);
  speed = $state<number>(1);
  /** Whose steps are followed. */
  policy = $state<Policy>("chunked");
  /** The request that was chosen, and the one that is pointed at. */
  chosen = $state<number | null>(null);
  pointed = $state<number | null>(null);

  get request(): number | null {
    return this.pointed ?? this.chosen;
  }

  get zoomed(): boolean {
    return !sameRange(this.range, this.whole);
  }

  /** Another answer: all of it is shown, where it is not as long as the one before. */
  show(end: number, requests: number): void {
    const whole = { start: 0, end: Math.max(end, 1e-3) };
    if (sameRange(whole, this.whole)) return;
    const follow = this.zoomed && this.range.end <= whole.end;
    if (!follow) this.range = whole;
    this.whole = whole;
    this.at = this.at === null ? null : Math.min(this.at, whole.end);
    this.speed = SPEEDS.findLast((speed) => speed <= whole.end / WHOLE_TAKES_S) ?? SPEEDS[0];
    if (this.chosen !== null && this.chosen >= requests) this.chosen = null;
    this.pointed = null;
  }

  zoom(factor: number, at = this.at ?? (this.range.start + this.range.end) / 2): void {
    this.range = zoom(this.range, factor, Math.min(Math.max(at, this.range.start), this.range.end), this.whole);
  }

  pan(share: number): void {
    this.range = pan(this.range, share, this.whole);
  }

  /** A stretch that starts at a time, as wide as now. */
  slide(start: number): void {
    const width = this.range.end - this.range.start;
    this.range = clamp({ start, end: start + width }, this.whole);
  }

  showAll(): void {
    this.range = this.whole;
  }

  /** Another stretch of the same width, where a moment is out of sight. */
  bring(at: number): void {
    this.range = around(this.range, at, this.whole);
  }

  /** To a moment, which comes into sight. */
  seek(at: number): void {
    this.at = Math.min(Math.max(at, this.whole.start), this.whole.end);
    this.bring(this.at);
  }
}

export const view = new View();
