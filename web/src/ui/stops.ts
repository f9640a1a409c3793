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

/** Where a value stands among the stops, in parts of a step; values outside stand at the ends. */
export function positionOf(value: number, stops: readonly number[]): number {
  const above = stops.findIndex((stop) => stop >= value);
  if (above === -1) return stops.length - 1;
  if (above === 0) return 0;
  const low = stops[above - 1]!;
  return above - 1 + Math.log(value / low) / Math.log(stops[above]! / low);
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
