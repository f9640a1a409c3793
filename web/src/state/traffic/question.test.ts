import { describe, expect, it } from "vitest";
import { DEFAULTS, PRESETS, presetAt } from "./presets.ts";
import { blamed, toQuestion } from "./question.ts";

const ON = { model: "llama-3.1-8b" };

describe("what is asked", () => {
  it("runs the same requests under each policy with the same limits", () => {
    const { schedulers, traffic } = toQuestion({ ...DEFAULTS, max_num_seqs: 7 }, ON, null);
    expect(schedulers.map(({ policy }) => policy)).toEqual(["static", "continuous", "chunked"]);
    expect(schedulers.every((one) => one["max_num_seqs"] === 7)).toBe(true);
    expect(traffic).toMatchObject({ requests: DEFAULTS.requests, prompt: { kind: "lognormal" }, bursts: [] });
    expect(traffic).not.toHaveProperty("burstiness");
  });

  it("leaves rates out of a closed loop, and pauses out of an open one", () => {
    const loop = toQuestion({ ...DEFAULTS, process: "clients", burst: { start_s: 0, end_s: 1, factor: 2 } }, ON, null);
    expect(loop.traffic).toMatchObject({ clients: DEFAULTS.clients, think_s: 0 });
    for (const field of ["requests_per_s", "process", "bursts"]) expect(loop.traffic).not.toHaveProperty(field);
    expect(toQuestion(DEFAULTS, ON, null).traffic).not.toHaveProperty("clients");
  });

  it("sends a file in place of drawn requests", () => {
    const asked = toQuestion({ ...DEFAULTS, trace: "mine" }, ON, { name: "mine.csv", text: "a,b" });
    expect(asked).not.toHaveProperty("traffic");
    expect(asked.trace).toEqual({ name: "mine.csv", text: "a,b", requests_per_s: null, seed: 0 });
  });

  it("finds the control that a refusal is about", () => {
    expect(blamed("traffic.requests_per_s")).toBe("requests_per_s");
    expect(blamed("traffic.prompt.mean")).toBe("prompt");
    expect(blamed("traffic.bursts.0.end_s")).toBe("burst");
    expect(blamed("schedulers.1.kv_blocks")).toBe("kv_blocks");
    expect(blamed("trace.text")).toBe("trace");
    expect(blamed("trace.requests_per_s")).toBe("trace_requests_per_s");
    expect(blamed("ttft_target_s")).toBe("ttft_target_s");
    expect(blamed("deployment.tensor_parallel")).toBeNull();
  });
});

describe("starting points", () => {
  it("are recognised, whatever the seed", () => {
    for (const { id, settings } of PRESETS) expect(presetAt({ ...settings, seed: 9 })?.id).toBe(id);
    expect(presetAt({ ...DEFAULTS, requests: 3 })).toBeUndefined();
    expect(presetAt({ ...DEFAULTS, trace: "mine" })).toBeUndefined();
  });

  it("cover a closed loop and a burst", () => {
    expect(PRESETS.some(({ settings }) => settings.process === "clients")).toBe(true);
    expect(PRESETS.some(({ settings }) => settings.burst !== null)).toBe(true);
  });
});
