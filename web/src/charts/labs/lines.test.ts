import { describe, expect, it } from "vitest";
import { drawn, indexAt } from "./lines.ts";
import type { Ruler } from "./ruler.ts";

const same: Ruler = { at: (value) => value, value: (place) => place, ticks: [], title: "", low: 0 };
const XS = [0, 10, 20, 30];

describe("a line", () => {
  it("goes from point to point, or in steps", () => {
    expect(drawn("line", XS, [1, 2, 3, 4], same, same)).toEqual({
      stroke: "M0.0 1.0L10.0 2.0L20.0 3.0L30.0 4.0",
      area: null,
    });
    expect(drawn("step", [0, 10], [1, 2], same, same).stroke).toBe("M0.0 1.0H10.0V2.0");
  });

  it("leaves gaps where nothing is known", () => {
    expect(drawn("line", XS, [1, null, 3, 4], same, same).stroke).toBe("M0.0 1.0M20.0 3.0L30.0 4.0");
    expect(drawn("line", XS, [null, null, null, null], same, same).stroke).toBe("");
  });

  it("closes its area down to the axis, each stretch on its own", () => {
    expect(drawn("area", XS, [1, 2, null, 4], same, same).area).toBe("M0.0 1.0L10.0 2.0V0.0H0.0ZM30.0 4.0V0.0H30.0Z");
    expect(drawn("step-area", [0, 10], [1, 2], same, same).area).toBe("M0.0 1.0H10.0V2.0V0.0H0.0Z");
  });
});

describe("the value at a place", () => {
  it("is the nearest of a line, and the one that holds of steps", () => {
    expect([-5, 4, 6, 20, 99].map((x) => indexAt(XS, x, false))).toEqual([0, 0, 1, 2, 3]);
    expect([-5, 4, 6, 20, 99].map((x) => indexAt(XS, x, true))).toEqual([0, 0, 0, 2, 3]);
  });
});
