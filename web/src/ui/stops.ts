/** A slider over values that grow by ratios: its positions are indices into an ascending list of stops. */

/** 1, 2, 3, 4, 6, 8, 12, 16 …: powers of two and the values halfway between them. */
export function doublings(from: number, to: number): number[] {
  const stops: number[] = [];
  for (let power = from; power <= to; power *= 2) {
    stops.push(power);
    const between = power * 1.5;
    if (Number.isInteger(between) && between < to) stops.push(between);
  }
  return stops;
}

/** Steps of one size from end to end; the last one is shorter where they do not come out even. */
export function evenly(from: number, to: number, step: number): number[] {
  const count = Math.floor((to - from) / step + 1e-9);
  const stops = Array.from({ length: count + 1 }, (_, i) => Number((from + i * step).toPrecision(12)));
  return stops.at(-1)! < to ? [...stops, to] : stops;
}

/** Four steps to a doubling, each a round number, with both ends. */
export function byRatios(from: number, to: number, whole: boolean): number[] {
  const stops = [from];
  for (let i = 1; from * 2 ** (i / 4) < to; i += 1) {
    const exact = from * 2 ** (i / 4);
    const stop = i % 4 === 0 ? exact : Number(exact.toPrecision(2));
    const kept = whole ? Math.round(stop) : stop;
    if (kept > stops.at(-1)! && kept < to) stops.push(kept);
  }
  return [...stops, to];
}

/** Where a value stands among the stops, in parts of a step; values outside stand at the ends. */
export function positionOf(value: number, stops: readonly number[]): number {
  const above = stops.findIndex((stop) => stop >= value);
  if (above === -1) return stops.length - 1;
  if (above === 0) return 0;
  const low = stops[above - 1]!;
  const high = stops[above]!;
  const way = low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return above - 1 + way;
}

export function nearestStop(position: number, stops: readonly number[]): number {
  const index = Math.min(stops.length - 1, Math.max(0, Math.round(position)));
  return stops[index]!;
}

/** The stop that is `steps` away from a value, which need not be a stop itself. */
export function stepFrom(value: number, steps: number, stops: readonly number[]): number {
  const position = positionOf(value, stops);
  const start = steps > 0 ? Math.floor(position + 1e-9) : Math.ceil(position - 1e-9);
  return nearestStop(start + steps, stops);
}
