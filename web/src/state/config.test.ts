import { describe, expect, it } from "vitest";
import { ownText } from "./own.ts";
import {
  blamed,
  DEFAULTS,
  ENGINE_FIELDS,
  FIELDS,
  fieldAt,
  pathOf,
  ruleOf,
  sameConfig,
  toRequest,
  toStart,
} from "./config.ts";

describe("the configuration", () => {
  it("opens on the working example, all else as the API has it", () => {
    expect(DEFAULTS).toMatchObject({ model: "llama-3.1-8b", accelerator: "h100-sxm-80gb", weights: null });
    expect(DEFAULTS).toMatchObject({ prompt_tokens: 1024, output_tokens: 256, batch: 16 });
    expect(DEFAULTS.compute_utilization).toBe(ruleOf("compute_utilization").default);
  });

  it("has a value and a description for every field", () => {
    for (const field of FIELDS) {
      expect(DEFAULTS[field], field).not.toBeUndefined();
      if (field !== "model" && field !== "accelerator") expect(ruleOf(field).description, field).toBeTruthy();
    }
  });

  it("becomes a request with each field in its place", () => {
    const { deployment, workload } = toRequest(DEFAULTS);
    expect(workload).toEqual({ prompt_tokens: 1024, output_tokens: 256, batch: 16 });
    const asked = FIELDS.filter((field) => field !== "kv_heads" && !ENGINE_FIELDS.includes(field));
    expect(Object.keys({ ...deployment, ...workload }).sort()).toEqual([...asked].sort());
  });

  it("becomes the start of an engine, with the deployment it starts", () => {
    const { deployment, ...start } = toStart({ ...DEFAULTS, engine: "sglang", max_num_seqs: 64 });
    expect(start).toMatchObject({ engine: "sglang", max_num_seqs: 64, max_model_len: null });
    expect(Object.keys(start).sort()).toEqual([...ENGINE_FIELDS].sort());
    expect(deployment).toMatchObject({ model: DEFAULTS.model, engine: "sglang" });
  });

  it("asks about one's own by its fields", () => {
    const accelerator = ownText({ name: "Card", memory_bytes: 24e9 });
    const { deployment } = toRequest({ ...DEFAULTS, accelerator });
    expect(deployment).toMatchObject({ model: DEFAULTS.model, accelerator: { name: "Card", memory_bytes: 24e9 } });
  });

  it("finds the field a refusal names", () => {
    for (const field of FIELDS) expect(fieldAt(pathOf(field))).toBe(field);
    expect(fieldAt("deployment.model.layers")).toBe("model");
    expect(fieldAt("body")).toBeNull();
    expect(fieldAt("workload")).toBeNull();
  });

  it("compares by value", () => {
    expect(sameConfig(DEFAULTS, { ...DEFAULTS })).toBe(true);
    expect(sameConfig(DEFAULTS, { ...DEFAULTS, batch: 17 })).toBe(false);
  });

  it("blames one's own model for what is refused of its KV heads", () => {
    const path = "deployment.model.kv_heads";
    expect(blamed(path, { ...DEFAULTS, kv_heads: 4 })).toBe("kv_heads");
    expect(blamed(path, { ...DEFAULTS, model: JSON.stringify({ name: "Mine" }) })).toBe("model");
  });
});
