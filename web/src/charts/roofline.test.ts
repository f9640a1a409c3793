import { describe, expect, it } from "vitest";
import { EXAMPLE, TOO_LARGE } from "../testing/answers.ts";
import { meaning } from "../words/roofline.ts";
import { draw, roof, roofline } from "./roofline.ts";

const FRAME = { width: 800, height: 400, left: 80, right: 16, top: 30, bottom: 48 };
const of = roofline(EXAMPLE)!;

describe("the roofline", () => {
  it("has both phases and their stages, and the effective rates of one device", () => {
    expect(of.marks.map(({ id }) => id)).toEqual([
      "prefill",
      "prefill-linear",
      "prefill-attention",
      "decode",
      "decode-linear",
      "decode-attention",
    ]);
    expect(of.flop_per_s).toBeCloseTo(0.5 * EXAMPLE.deployment.accelerator.flop_per_s["bf16"]!, -6);
    expect(of.bytes_per_s).toBeCloseTo(0.8 * EXAMPLE.deployment.accelerator.bandwidth_bytes_per_s, -6);
  });

  it("holds stages at the roof and whole phases under it", () => {
    for (const mark of of.marks) {
      const share = mark.flop_per_s / roof(of, mark.intensity);
      if (mark.stage) expect(share).toBeCloseTo(1, 9);
      else expect(share).toBeLessThan(1);
    }
  });

  it("is drawn inside its frame, with badges that do not cover each other", () => {
    const drawing = draw(of, FRAME);
    for (const side of [true, false]) {
      const row = drawing.marks.filter((mark) => (mark.stage === null) === side).sort((a, b) => a.badgeX - b.badgeX);
      row.slice(1).forEach((mark, i) => expect(mark.badgeX - row[i]!.badgeX).toBeGreaterThanOrEqual(26 - 1e-9));
    }
    for (const mark of drawing.marks) {
      expect(mark.x).toBeGreaterThanOrEqual(FRAME.left);
      expect(mark.x).toBeLessThanOrEqual(FRAME.width - FRAME.right);
      expect(mark.y).toBeGreaterThanOrEqual(FRAME.top);
      expect(mark.y).toBeLessThanOrEqual(FRAME.height - FRAME.bottom);
    }
  });

  it("is not there without figures, and has no decode without a step", () => {
    expect(roofline(TOO_LARGE)).toBeNull();
    const { linear, attention } = EXAMPLE.decode!;
    const nothing = { flop: 0, bytes: 0, time_s: 0, math_s: 0, data_s: 0, intensity_flop_per_byte: null, bound: null };
    const decode = {
      ...EXAMPLE.decode!,
      ...nothing,
      linear: { ...linear, ...nothing },
      attention: { ...attention, ...nothing },
    };
    expect(roofline({ ...EXAMPLE, decode })!.marks).toHaveLength(3);
  });

  it("says of a point on which side of the knee it is", () => {
    expect(meaning(of.marks[3]!, of)).toContain("times too little work per byte");
    expect(meaning(of.marks[1]!, of)).toContain("at which arithmetic takes over");
  });
});
