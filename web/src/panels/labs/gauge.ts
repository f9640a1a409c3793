import type { Want } from "../../api/labs.ts";

/** A figure this many times off its bound stands at the end of the gauge. */
const END = 8;

/**
 * Where a figure stands on a gauge from 0 to 1 whose middle is the bound. By ratio where both are positive, so that
 * half of the bound is as far off as twice; else by difference. Near the bound the gauge is stretched (a square root):
 * quality moves by a hundredth where a wait moves tenfold, and both must be seen to move.
 */
export function gauge(want: Pick<Want, "at_most" | "at_least"> | null, value: number | null): number | null {
  const bound = want?.at_most ?? want?.at_least ?? null;
  if (bound === null || value === null) return null;
  const off =
    bound > 0 && value > 0 ? Math.log(value / bound) / Math.log(END) : (value - bound) / Math.max(Math.abs(bound), 1);
  const stretched = Math.sign(off) * Math.sqrt(Math.min(1, Math.abs(off)));
  return (1 + stretched) / 2;
}
