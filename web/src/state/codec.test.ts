import { describe, expect, it } from "vitest";
import { decode, encode, isLink, knownNames } from "./codec.ts";
import type { Config } from "./config.ts";
import { DEFAULTS, FIELDS, ruleOf } from "./config.ts";
import { LINK_CHARACTERS, ownText, tagOf } from "./own.ts";

const KNOWN = knownNames({
  models: [
    { id: "llama-3.1-8b", aliases: ["meta-llama-3.1-8b"], hugging_face: "meta-llama/Llama-3.1-8B" },
    { id: "qwen" },
  ],
  accelerators: [{ id: "h100-sxm-80gb" }, { id: "l4" }],
});

/** A value other than the default, for every field. */
function other(field: keyof Config): unknown {
  if (field === "model") return "qwen";
  if (field === "accelerator") return "l4";
  if (field === "tensor_parallel") return 4;
  if (field === "version") return "0.9.1";
  const { type, options } = ruleOf(field);
  if (type === "boolean") return DEFAULTS[field] !== true;
  if (type === "string") return options?.find((option) => option !== DEFAULTS[field]);
  return type === "integer" ? 41 : 0.25;
}

describe("a link", () => {
  it("says only what differs, version first", () => {
    expect(encode(DEFAULTS)).toBe("v=1");
    expect(encode({ ...DEFAULTS, batch: 41, weights: "int4" })).toBe("v=1&weights=int4&batch=41");
    expect(encode(DEFAULTS, "under-the-hood")).toBe("v=1&page=under-the-hood");
  });

  it("brings every field back", () => {
    const config = Object.fromEntries(FIELDS.map((field) => [field, other(field)])) as unknown as Config;
    for (const field of FIELDS) expect(config[field]).not.toEqual(DEFAULTS[field]);
    expect(decode(`#${encode(config, "under-the-hood")}`, KNOWN)).toEqual({
      config,
      page: "under-the-hood",
      extras: {},
      ignored: [],
    });
  });

  it("carries a model and an accelerator of one's own, as long as they are short", () => {
    const model = ownText({ name: "Mine & yours", layers: 2, groups: [{ layers: 2, window: 4096 }] });
    const accelerator = ownText({ name: "Card", memory_bytes: 24e9, flop_per_s: {} });
    const config = { ...DEFAULTS, model, accelerator };
    expect(decode(encode(config), KNOWN)).toEqual({ config, page: "studio", extras: {}, ignored: [] });
  });

  it("names what is too long for it, and finds it again where it is kept", () => {
    const model = ownText({ name: "Long", words: "x".repeat(LINK_CHARACTERS) });
    const link = encode({ ...DEFAULTS, model, batch: 2 });
    expect(link).toBe(`v=1&model=${tagOf(model)}&batch=2`);
    expect(decode(link, KNOWN)).toMatchObject({
      config: { ...DEFAULTS, batch: 2 },
      ignored: [`model=${tagOf(model)}`],
    });
    const known = knownNames({ models: [], accelerators: [] }, { model: [model], accelerator: [] });
    expect(decode(link, known)).toMatchObject({ config: { model, batch: 2 }, ignored: [] });
  });

  it.each(["model={", "model={}", 'model={"name":7}', 'weights={"name":"x"}'])("drops %s, which is none", (bad) => {
    const pairs = new URLSearchParams("v=1&batch=2");
    pairs.set(bad.slice(0, bad.indexOf("=")), bad.slice(bad.indexOf("=") + 1));
    expect(decode(pairs.toString(), KNOWN)).toMatchObject({ config: { ...DEFAULTS, batch: 2 }, ignored: [bad] });
  });

  it.each([
    ["batch=0"],
    ["batch=1.5"],
    ["batch="],
    ["batch=null"],
    ["batch=NaN"],
    ["batch=1e16"],
    ["batch=0x10"],
    ["batch=-3"],
    ["compute_utilization=0"],
    ["compute_utilization=1.01"],
    ["weights=int3"],
    ["kv_cache=null"],
    ["tensor_parallel=9"],
    ["model=gpt-9"],
    ["accelerator=toaster"],
    ["replicate_kv_heads=maybe"],
    ["page=garden"],
    ["__proto__=1"],
    ["toString=1"],
  ])("drops %s and nothing else", (bad) => {
    const { config, ignored } = decode(`#v=1&prompt_tokens=77&${bad}&output_tokens=9`, KNOWN);
    expect(config).toEqual({ ...DEFAULTS, prompt_tokens: 77, output_tokens: 9 });
    expect(ignored).toEqual([bad]);
  });

  it("takes the first of two and names the second", () => {
    const { config, ignored } = decode("v=1&batch=2&batch=3", KNOWN);
    expect(config.batch).toBe(2);
    expect(ignored).toEqual(["batch=3"]);
  });

  it("understands other published names", () => {
    expect(decode("v=1&model=meta-llama-3.1-8b", KNOWN).config.model).toBe("llama-3.1-8b");
    expect(decode("v=1&model=meta-llama%2FLlama-3.1-8B", KNOWN).ignored).toEqual([]);
  });

  it("names a version it does not speak", () => {
    expect(decode("v=2&batch=3", KNOWN).ignored).toEqual(["v=2"]);
  });

  it("is told from other fragments", () => {
    expect(isLink("#v=1")).toBe(true);
    expect(isLink("#results")).toBe(false);
    expect(isLink("")).toBe(false);
  });
});

describe("settings of a page's own", () => {
  const own = { lab: "dice", "lab.rate": "7", "lab-seed": "3" };

  it("go along with their page, and come back unjudged", () => {
    const link = encode({ ...DEFAULTS, batch: 41 }, "labs", own);
    expect(link).toBe("v=1&page=labs&batch=41&lab=dice&lab.rate=7&lab-seed=3");
    const { config, page, extras, ignored } = decode(link, KNOWN);
    expect([config.batch, page, extras, ignored]).toEqual([41, "labs", { labs: own }, []]);
  });

  it("are nobody's where no page begins like that", () => {
    expect(decode("v=1&label=x&lab.rate=7&lab.rate=8&garden.rate=1", KNOWN)).toMatchObject({
      extras: { labs: { "lab.rate": "7" } },
      ignored: ["label=x", "lab.rate=8", "garden.rate=1"],
    });
  });
});
