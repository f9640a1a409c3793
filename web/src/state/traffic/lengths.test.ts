import { describe, expect, it } from "vitest";
import { KINDS, asKind, fromRequest, mean, parse, spell, toRequest, usable } from "./lengths.ts";

describe("lengths", () => {
  it.each(["fixed:128", "uniform:4000:16000", "exponential:256", "lognormal:512:0.8"])("read and write %s", (text) => {
    const lengths = parse(text)!;
    expect(spell(lengths)).toBe(text);
    expect(fromRequest(toRequest(lengths))).toEqual(lengths);
  });

  it.each([
    "fixed:0",
    "fixed:1.5",
    "fixed:1:2",
    "uniform:9:3",
    "lognormal:512:21",
    "exponential:0",
    "weibull:3",
    "fixed:",
    "",
  ])("refuse %s", (text) => expect(parse(text)).toBeUndefined());

  it("take a plain number from the API as fixed", () => {
    expect(fromRequest(64)).toEqual({ kind: "fixed", numbers: [64] });
    expect(fromRequest({ kind: "empirical", values: [1, 2] })).toBeUndefined();
  });

  it("keep about their mean when the kind changes", () => {
    const lengths = parse("lognormal:512:0.8")!;
    for (const kind of KINDS) {
      const other = asKind(lengths, kind);
      expect(usable(other)).toBe(true);
      expect(mean(other)).toBe(512);
    }
  });
});
