/** The stretch of simulated time that the charts show; pure arithmetic. */
export interface Range {
  start: number;
  end: number;
}

/** No closer than this: a tenth of a millisecond is finer than any pass. */
const CLOSEST_S = 1e-4;

export function widthOf({ start, end }: Range): number {
  return end - start;
}

/** The range moved into the whole, keeping its width as far as that goes. */
export function clamp(range: Range, whole: Range): Range {
  const width = Math.min(Math.max(widthOf(range), CLOSEST_S), widthOf(whole));
  const start = Math.min(Math.max(range.start, whole.start), whole.end - width);
  return width === widthOf(whole) ? whole : { start, end: start + width };
}

/** Closer (factor below 1) or wider around a point of time, which stays where it is on screen. */
export function zoom(range: Range, factor: number, at: number, whole: Range): Range {
  const width = Math.min(Math.max(widthOf(range) * factor, CLOSEST_S), widthOf(whole));
  const share = (at - range.start) / (widthOf(range) || 1);
  const start = at - share * width;
  return clamp({ start, end: start + width }, whole);
}

/** Along the axis by a share of what is seen. */
export function pan(range: Range, share: number, whole: Range): Range {
  const by = share * widthOf(range);
  return clamp({ start: range.start + by, end: range.end + by }, whole);
}

/** The same width with a point in sight; unchanged where it already is. */
export function around(range: Range, at: number, whole: Range): Range {
  if (at >= range.start && at <= range.end) return range;
  const half = widthOf(range) / 2;
  return clamp({ start: at - half, end: at + half }, whole);
}

export function sameRange(a: Range, b: Range): boolean {
  return a.start === b.start && a.end === b.end;
}

export function contains(outer: Range, inner: Range): boolean {
  return outer.start <= inner.start && outer.end >= inner.end;
}

/** What is asked for around a range, so that moving a little needs nothing new. */
export function withMargin(range: Range, whole: Range): Range {
  const margin = widthOf(range) / 2;
  return { start: Math.max(whole.start, range.start - margin), end: Math.min(whole.end, range.end + margin) };
}
