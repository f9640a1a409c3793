// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from "vitest";
import { recallScore, resetScore, scored } from "./score.ts";
import { PREDICTIONS_KEY } from "./storage.ts";

afterEach(() => localStorage.clear());

describe("the score", () => {
  it("keeps the first verdict of each experiment", () => {
    const once = scored({}, "int4-tpot", "wrong");
    expect(scored(once, "int4-tpot", "right")).toEqual({ "int4-tpot": "wrong" });
    expect(recallScore()).toEqual({ "int4-tpot": "wrong" });
    expect(resetScore()).toEqual({});
    expect(recallScore()).toEqual({});
  });

  it.each(["{", "null", "[1]", '"x"', '{"a":"great","b":7}'])("takes nothing from %s", (text) => {
    localStorage.setItem(PREDICTIONS_KEY, text);
    expect(recallScore()).toEqual({});
  });
});
