import { describe, expect, it } from "vitest";
import { EXAMPLE, LATENT, MIXTURE, TOO_LARGE } from "../testing/answers.ts";
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

  it.each([MIXTURE, LATENT])("fit a model that is not dense: $deployment.model.name", (estimate) => {
    for (const id of ALL) {
      const explanation = explain(estimate, id);
      if (!explanation) continue;
      for (const name of explanation.formulas) expect(formulas[name], name).toContain("<math");
      expect(JSON.stringify(explanation)).not.toMatch(/null [a-z]|NaN|undefined|Infinity/);
      expect(explanation.terms.every(({ value }) => value !== "")).toBe(true);
    }
  });

  it("say what each group of layers keeps", () => {
    const said = (estimate: typeof MIXTURE) =>
      explain(estimate, "kv_cache")!.terms.map(({ name, how, value }) =>
        `${name}: ${how}: ${value}`.replaceAll("\u00a0", " "),
      );
    expect(said(MIXTURE)).toContain(
      "Group 1: 18 layers × 8 KV heads × (64 + 64), in bf16; window of 128 tokens: 128 tokens",
    );
    expect(said(MIXTURE)).toContain("Group 2: 18 layers × 8 KV heads × (64 + 64), in bf16: 1,280 tokens");
    expect(said(LATENT)[0]).toBe("Group 1: 3 layers × (512 + 64), in bf16; whole on each device: 1,280 tokens");
    const kept = { ...MIXTURE, deployment: { ...MIXTURE.deployment, free_windows: false } };
    expect(said(kept)[0]).toMatch(/: 1,280 tokens$/);
  });

  it("name the experts that are read", () => {
    const values = Object.fromEntries(explain(MIXTURE, "tpot")!.terms.map(({ name, value }) => [name, value]));
    expect(values["Experts"]).toBe("4 of 128");
    expect(explain(EXAMPLE, "tpot")!.terms.map(({ name }) => name)).not.toContain("Experts");
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
