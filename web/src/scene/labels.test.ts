import { describe, expect, it } from "vitest";
import { layLabels } from "./labels.ts";
import type { Wanted } from "./labels.ts";
import { STATIONS } from "./state.ts";

const FRAME = { width: 600, height: 300 };

function wanted(x: number, y: number, of = 0): Wanted {
  return { id: STATIONS[of]!, x, y, width: 100, height: 40 };
}

describe("labels", () => {
  it("sit above what they point to", () => {
    expect(layLabels([wanted(300, 200)], FRAME)).toEqual([{ id: "weights", left: 250, top: 160 }]);
  });

  it("are never cut off", () => {
    expect(layLabels([wanted(2, 10)], FRAME)).toEqual([{ id: "weights", left: 8, top: 8 }]);
    expect(layLabels([wanted(599, 320)], FRAME)).toEqual([{ id: "weights", left: 492, top: 252 }]);
  });

  it("give way to each other, the later ones to the earlier", () => {
    const laid = layLabels(
      STATIONS.map((_, i) => wanted(300, 150 + i, i)),
      FRAME,
    );
    expect(laid[0]).toMatchObject({ left: 250, top: 110 });
    expect(laid).toHaveLength(5);
    laid.forEach((a, i) =>
      laid.slice(i + 1).forEach((b) => {
        expect(Math.abs(a.left - b.left) >= 100 || Math.abs(a.top - b.top) >= 40).toBe(true);
      }),
    );
  });

  it("are left out where nothing of theirs is seen, or nothing is free", () => {
    expect(layLabels([wanted(-5, 100), wanted(300, -1, 1), wanted(300, 900, 2)], FRAME)).toEqual([]);
    const tiny = { width: 120, height: 60 };
    expect(layLabels([wanted(60, 50), wanted(60, 50, 1)], tiny)).toHaveLength(1);
  });
});
