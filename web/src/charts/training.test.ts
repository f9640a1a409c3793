import { describe, expect, it } from "vitest";
import type { TrainingStep } from "../api/room.ts";
import { trainingCurves } from "./training.ts";

const STEPS = [0.5, 0.562, 0.615].map((probability, i) => ({ probability, loss: 3 - i })) as TrainingStep[];
const FRAME = { width: 300, height: 100, left: 10, right: 10, top: 10, bottom: 10 };

describe("the plot of training", () => {
  it("shows what is known so far, on a scale that does not move", () => {
    const begun = trainingCurves(STEPS, { seen: 1, lost: 0 }, FRAME);
    const all = trainingCurves(STEPS, { seen: 3, lost: 3 }, FRAME);
    expect([begun.probability.points.length, begun.loss.points.length]).toEqual([1, 0]);
    expect(all.probability.points[0]).toEqual(begun.probability.points[0]);
    expect(all.ticks).toEqual(begun.ticks);
    expect(all.loss.points[0]!.y).toBeCloseTo(10, 6);
    expect(all.loss.points[2]!.y).toBeGreaterThan(all.loss.points[0]!.y);
    expect(all.probability.points[2]!.x).toBeCloseTo(284, 6);
  });
});
