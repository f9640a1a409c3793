import type { Window } from "../../api/traffic.ts";
import { rowsIn } from "./lives.ts";
import type { Range } from "./time.ts";

/** The next shown request up or down from one; from none, the first or the last in sight. */
export function neighbour(window: Window, range: Range, from: number | null, way: 1 | -1): number | null {
  const { request } = window.requests;
  if (!request.length) return null;
  const rows = rowsIn(window, range);
  const inSight = request.filter((one) => one >= rows.first && one <= rows.last);
  if (from === null) return (way > 0 ? inSight[0] : inSight.at(-1)) ?? null;
  const next = way > 0 ? request.find((one) => one > from) : request.findLast((one) => one < from);
  return next ?? from;
}
