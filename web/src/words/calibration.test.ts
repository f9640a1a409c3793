import { describe, expect, it } from "vitest";
import type { Estimate } from "../api/types.ts";
import { DEFAULTS, calibrated, isCalibrated, toRequest } from "../state/config.ts";
import { irrelevant } from "../state/relevant.ts";
import { EXAMPLE } from "../testing/answers.ts";
import { roofline } from "../charts/roofline.ts";
import { ANALYTICAL, between, label, rests, simulatedLabel, sureness } from "./calibration.ts";
import { exchange } from "./exchange.ts";
import { explain } from "./explain.ts";

const plain = (text: string | null | undefined) => text?.replaceAll("\u00a0", " ");

const STANDS = {
  profile: "vllm@h100-sxm-80gb",
  engine: "vllm",
  accelerator: "h100-sxm-80gb",
  generation: "any",
  status: "calibrated",
  carried_from: null,
  half_width: 0.0812,
  rows: 812,
  models: 14,
  sources: [],
};

const at = (value: number | null) => value && { low: 0.9 * value, high: 1.1 * value };

function measured(changes: object = {}, interval: object = {}): Estimate {
  const { ttft_s, tpot_s, output_tokens_per_s } = EXAMPLE;
  const around = { ttft_s: at(ttft_s), tpot_s: at(tpot_s), output_tokens_per_s: at(output_tokens_per_s) };
  return {
    ...EXAMPLE,
    calibration: { ...STANDS, ...changes },
    interval: { ...around, ...interval },
  } as Estimate;
}

const CARDS = [{ id: "a100-sxm-80gb", name: "A100 SXM4 80GB" }];

describe("what stands behind a figure", () => {
  it("is the textbook unless it is said", () => {
    expect(label(EXAMPLE)).toBe(ANALYTICAL);
    expect(rests(EXAMPLE, CARDS)).toBeNull();
    expect(simulatedLabel(null)).toBe("Simulated scheduler · not a benchmark");
  });

  it("is measurements, with how far they lie apart", () => {
    expect(plain(label(measured()))).toBe("calibrated · ± 8.1 %");
    expect(plain(rests(measured(), CARDS))).toBe(
      "Fitted to 812 measurements of 14 models with vLLM on H100 SXM5 80GB.",
    );
    expect(plain(simulatedLabel(measured()))).toBe("Simulated scheduler · step times calibrated · ± 8.1 %");
  });

  it("says from where it was carried over, and where nothing is known", () => {
    const carried = measured({ status: "carried over", carried_from: "a100-sxm-80gb", half_width: 0.2 });
    expect(plain(label(carried))).toBe("carried over from a100-sxm-80gb · ± 20 %");
    expect(rests(carried, CARDS)).toContain("with vLLM on A100 SXM4 80GB, and taken over to H100 SXM5 80GB");
    const unknown = measured({ status: "uncalibrated", rows: 0, models: 0, half_width: null });
    expect(label(unknown)).toBe("uncalibrated");
    expect(label(measured({ status: "uncalibrated", half_width: 1.5 }))).toBe("uncalibrated · up to 2.5× off");
    expect(rests(unknown, CARDS)).toContain("Nothing was measured that is near vLLM on H100 SXM5 80GB");
  });
});

describe("an interval", () => {
  it("stands beside the figures that have one, in words for who hears it", () => {
    expect(between(EXAMPLE, "tpot")).toBeNull();
    expect(between(measured(), "e2e")).toBeNull();
    const found = between(measured(), "tpot")!;
    expect(plain(found.short)).toBe("6.30–7.70 ms");
    expect(plain(found.words)).toBe("80 % of measurements lie between 6.30 ms and 7.70 ms");
  });

  it("writes both units where they differ, and nothing where there is none", () => {
    const wide = measured({}, { tpot_s: { low: 0.0005, high: 0.004 }, ttft_s: null });
    expect(plain(between(wide, "tpot")?.short)).toBe("500 µs – 4.00 ms");
    expect(between(wide, "ttft")).toBeNull();
  });

  it("is told where a figure is explained", () => {
    expect(sureness(EXAMPLE, "tpot", CARDS)).toContain("textbook");
    expect(sureness(measured(), "tpot", CARDS)).toContain("80 % of measurements");
    expect(sureness(measured(), "weights", CARDS)).not.toContain("80 %");
  });
});

describe("the working of a calibrated figure", () => {
  it("names measured terms in place of assumed shares", () => {
    const terms = explain(measured(), "tpot")!.terms.map(({ how }) => how);
    expect(terms.join()).toContain("as measured");
    expect(terms.join()).not.toContain("of the datasheet rate");
  });

  it("reads the exchange back from the times of both phases", () => {
    const { deployment, prefill, decode, workload } = EXAMPLE;
    const [layers, hidden] = [deployment.model.layers, deployment.model.hidden_size ?? 0];
    const one = (tokens: number) => 2 * layers * (5e-6 + ((2 / 2) * tokens * hidden * 2) / 200e9);
    const split = {
      ...measured(),
      deployment: { ...deployment, tensor_parallel: 2 },
      prefill: { ...prefill!, communication_s: one(workload.batch * workload.prompt_tokens) },
      decode: { ...decode!, communication_s: (workload.output_tokens - 1) * one(workload.batch) },
    } as Estimate;
    expect(exchange(split)!.latency_s).toBeCloseTo(5e-6, 9);
    expect(exchange(split)!.link_bytes_per_s / 200e9).toBeCloseTo(1, 6);
    expect(exchange(EXAMPLE)).toBeNull();
  });

  it("draws a roof that no stage stands above", () => {
    const { prefill, decode } = EXAMPLE;
    const quick = { ...decode!.attention, data_s: decode!.attention.data_s / 3, time_s: decode!.attention.time_s / 3 };
    const of = roofline({ ...measured(), decode: { ...decode!, attention: quick }, prefill })!;
    for (const mark of of.marks) {
      const roof = Math.min(of.flop_per_s, of.bytes_per_s * mark.intensity);
      expect(mark.flop_per_s).toBeLessThanOrEqual(roof * 1.000001);
    }
  });
});

describe("the question", () => {
  it("names the engine only where step times come from it", () => {
    expect(isCalibrated(DEFAULTS)).toBe(false);
    expect(toRequest(DEFAULTS).deployment).not.toHaveProperty("engine");
    const config = { ...DEFAULTS, ...calibrated(true), engine: "sglang" };
    expect(toRequest(config).deployment).toMatchObject({ profile: "auto", engine: "sglang" });
    expect(calibrated(false)).toEqual({ profile: "textbook" });
  });

  it("leaves out assumptions that are measured", () => {
    const config = { ...DEFAULTS, ...calibrated(true) };
    expect(irrelevant(undefined, [], config)).toContain("compute_utilization");
    expect(irrelevant(undefined, [], DEFAULTS)).not.toContain("compute_utilization");
  });
});
