import { describe, expect, it } from "vitest";
import { EXAMPLE, TOO_LARGE } from "../testing/answers.ts";
import { explain } from "./explain.ts";
import type { Explained } from "./figures.ts";
import { TITLES } from "./figures.ts";
import formulas from "./formulas.tex";
import { PASSAGES } from "./hood.ts";

const ALL = Object.keys(TITLES) as Explained[];
const PARTS: readonly Explained[] = ["weights", "kv_cache", "workspace", "reserve"];

describe("explanations", () => {
  it.each(ALL)("%s shows formulas that exist, with values", (id) => {
    const explanation = explain(EXAMPLE, id)!;
    for (const name of explanation.formulas) expect(formulas[name], name).toContain("<math");
    const words = JSON.stringify(explanation);
    expect(words).not.toMatch(/null [a-z]|NaN|undefined|Infinity/);
    expect(explanation.terms.every(({ value }) => value !== "")).toBe(true);
  });

  it("carry the exact value of the API", () => {
    expect(explain(EXAMPLE, "tpot")!.result.exact).toBe(`${EXAMPLE.tpot_s} s`);
    expect(explain(EXAMPLE, "kv_cache")!.result.exact).toBe("2684354560 B");
  });

  it("read the effective rates back", () => {
    const values = Object.fromEntries(explain(EXAMPLE, "ttft")!.terms.map(({ name, value }) => [name, value]));
    expect(values["F"]).toBe("495\u00a0TFLOP/s");
    expect(values["B"]).toBe("2.68\u00a0TB/s");
  });

  it("are there for memory alone where nothing fits", () => {
    for (const id of ALL) expect(explain(TOO_LARGE, id) !== null, id).toBe(PARTS.includes(id));
  });
});

describe("the page under the hood", () => {
  it("shows formulas that exist, and every formula is used", () => {
    const shown = PASSAGES.flatMap(({ body }) => body.flatMap((piece) => ("formula" in piece ? [piece.formula] : [])));
    const explained = ALL.flatMap((id) => explain(EXAMPLE, id)!.formulas);
    for (const name of shown) expect(formulas[name], name).toBeDefined();
    expect([...new Set([...shown, ...explained])].sort()).toEqual(Object.keys(formulas).sort());
  });

  it("holds MathML without styles or scripts", () => {
    for (const math of Object.values(formulas)) expect(math).not.toMatch(/style=|<script|<annotation/);
  });
});
