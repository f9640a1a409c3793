import { describe, expect, it } from "vitest";
import EXAMPLES from "./figures.json" with { type: "json" };
import { text } from "./format.ts";
import { axisUnit, exactly, quantity, tickText, written } from "./show.ts";

const plain = (value: number, unit: string) => text(quantity(value, unit)).replaceAll("\u00a0", " ");

describe("a quantity", () => {
  it("is written by its unit", () => {
    expect(plain(0.2134, "s")).toBe("213 ms");
    expect(plain(61.23e9, "B")).toBe("61.2 GB");
    expect(plain(0.9166, "fraction")).toBe("91.7 %");
    expect(plain(5460, "tokens/s")).toBe("5,460 tok/s");
    expect(plain(0.3617, "USD")).toBe("$0.362");
  });

  it.each(EXAMPLES)("of $value $unit is $text, as sentences of labs have it", ({ value, unit, text: expected }) => {
    expect(plain(value, unit)).toBe(expected);
  });

  it("keeps any other unit, and counts in full", () => {
    expect(plain(1234, "requests")).toBe("1,234 requests");
    expect(plain(91.66, "points")).toBe("91.7 points");
    expect(plain(7, "")).toBe("7");
    expect(plain(0.3617, "USD per million tokens")).toBe("$0.362 per million tokens");
  });

  it("is exact where it is hovered over", () => {
    expect(exactly(0.2134, "s")).toBe("0.2134 s");
    expect(exactly(0.9166, "fraction")).toBe("0.9166");
  });

  it("is written in a control without losing a digit", () => {
    expect(written(0.055, "fraction")).toBe("5.5\u00a0%");
    expect(written(1024, "tokens")).toBe("1,024\u00a0tokens");
    expect(written(3, "")).toBe("3");
  });
});

describe("the ticks of an axis", () => {
  it("share one unit", () => {
    const time = axisUnit(120, "s");
    expect([0, 40, 120].map((value) => tickText(value, time))).toEqual(["0", "40", "120"]);
    const short = axisUnit(0.08, "s");
    expect(short.unit).toBe("ms");
    expect(tickText(0.02, short)).toBe("20");
    expect(axisUnit(0, "s").unit).toBe("ns");
  });

  it("are short", () => {
    expect(tickText(1_100_000, axisUnit(2e6, "tokens"))).toBe("1.1M");
    expect(tickText(0.5, axisUnit(1, "fraction"))).toBe("50");
    expect(tickText(40e9, axisUnit(80e9, "B"))).toBe("40");
    expect(axisUnit(80e9, "B").unit).toBe("GB");
  });
});
