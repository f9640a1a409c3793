import { describe, expect, it } from "vitest";
import { around, clamp, pan, withMargin, zoom } from "./time.ts";

const WHOLE = { start: 0, end: 100 };

describe("a stretch of time", () => {
  it("keeps the moment under the pointer where it is while zooming", () => {
    const closer = zoom({ start: 20, end: 60 }, 0.5, 30, WHOLE);
    expect(closer).toEqual({ start: 25, end: 45 });
    expect(zoom(closer, 2, 30, WHOLE)).toEqual({ start: 20, end: 60 });
  });

  it("stays within the whole", () => {
    expect(zoom({ start: 0, end: 80 }, 10, 5, WHOLE)).toBe(WHOLE);
    expect(pan({ start: 80, end: 100 }, 1, WHOLE)).toEqual({ start: 80, end: 100 });
    expect(clamp({ start: -5, end: 5 }, WHOLE)).toEqual({ start: 0, end: 10 });
  });

  it("moves only for a moment that is out of sight", () => {
    const range = { start: 10, end: 20 };
    expect(around(range, 15, WHOLE)).toBe(range);
    expect(around(range, 50, WHOLE)).toEqual({ start: 45, end: 55 });
  });

  it("is asked for with a margin that ends where the run does", () => {
    expect(withMargin({ start: 10, end: 20 }, WHOLE)).toEqual({ start: 5, end: 25 });
    expect(withMargin({ start: 0, end: 90 }, WHOLE)).toEqual({ start: 0, end: 100 });
  });
});
