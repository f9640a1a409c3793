import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../state/config.ts";
import { irrelevant } from "../state/relevant.ts";
import type { Accelerator, Estimate, Model } from "../api/types.ts";
import { ANATOMY, EXAMPLE, LATENT, MIXTURE, TOO_LARGE } from "../testing/answers.ts";
import { headline as bottleneck, story, tries } from "./bottleneck.ts";
import { changes, changesTitle, contextNotice, headline, verdict } from "./fit.ts";
import { unknownWords } from "./catalogue.ts";
import { caveats, facts, featureWords, groupLines, inside } from "./model.ts";
import { floorSentence, floors, missing, reason } from "./reasons.ts";
import { announcement, details, glance, title } from "./summary.ts";

const IDS = ["ttft", "tpot", "throughput", "e2e", "cost"] as const;
const plain = (text: string | null) => text?.replaceAll("\u00a0", " ");

function vary(deployment: object, workload: object, rest: object = {}): Estimate {
  const { deployment: d, workload: w } = EXAMPLE;
  return { ...EXAMPLE, ...rest, deployment: { ...d, ...deployment }, workload: { ...w, ...workload } } as Estimate;
}

describe("the sentence under a number", () => {
  it("gives the reason", () => {
    expect(IDS.map((id) => plain(reason(EXAMPLE, id)))).toEqual([
      "Compute-bound: 16 prompts of 1,024 tokens take 268 TFLOP of arithmetic.",
      "Memory-bound: each step moves 16.1 GB for the weights and 2.43 GB for the KV cache.",
      "16 requests × 256 tokens in 2.33 s, prefill included.",
      "541 ms to the first token, then 255 × 7.00 ms.",
      "$2.95 an hour, spread over 1,760 tok/s.",
    ]);
  });

  it("says where there is no step, and where there is no price", () => {
    const single = vary({}, { output_tokens: 1 }, { tpot_s: null });
    expect(reason(single, "tpot")).toContain("no decode step");
    expect(floors(single).tpot).toBeNull();
    const free = vary({ accelerator: { ...EXAMPLE.deployment.accelerator, price_usd_per_hour: null } }, {});
    expect(reason(free, "cost")).toContain("No hourly price");
    expect(floors(free).cost).toBeNull();
  });

  it("has a floor below the figure and a ceiling above it", () => {
    const floor = floors(EXAMPLE);
    expect(floor.ttft).toBeLessThan(EXAMPLE.ttft_s!);
    expect(floor.tpot).toBeLessThan(EXAMPLE.tpot_s!);
    expect(floor.e2e).toBeLessThan(EXAMPLE.e2e_s!);
    expect(floor.throughput).toBeGreaterThan(EXAMPLE.output_tokens_per_s!);
    expect(plain(floorSentence(EXAMPLE, "tpot"))).toBe("Cannot be below 5.20 ms on this hardware");
  });
});

describe("what does not fit", () => {
  const said = [
    ...IDS.map((id) => reason(TOO_LARGE, id)),
    ...IDS.map((id) => floorSentence(TOO_LARGE, id) ?? ""),
    verdict(TOO_LARGE),
    headline(TOO_LARGE),
    glance(TOO_LARGE),
    announcement(TOO_LARGE),
    title(TOO_LARGE),
    ...details(TOO_LARGE),
  ].join("\n");

  it("has no figure of performance in any sentence", () => {
    expect(said).not.toMatch(/\d\s*(ns|µs|ms|s|min|h|days|tok\/s)\b|\$/);
    expect(said).not.toMatch(/null|NaN|undefined/);
  });

  it("offers the single changes that are enough", () => {
    expect(changesTitle(TOO_LARGE)).toBe("Any one of these fits");
    expect(changes(TOO_LARGE).map(({ values }) => values)).toEqual([{ tensor_parallel: 4 }, { weights: "int4" }]);
  });

  it("offers the most that fits where all does", () => {
    expect(changes(EXAMPLE).map(({ values }) => values)).toEqual([{ batch: 263 }, { prompt_tokens: 19519 }]);
  });
});

describe("the bottleneck", () => {
  it("is told in words", () => {
    expect(bottleneck("prefill", EXAMPLE.prefill!)).toBe("Prefill waits for arithmetic");
    expect(bottleneck("decode", EXAMPLE.decode!)).toBe("Decode waits for memory");
    expect(plain(story("decode", EXAMPLE.decode!, EXAMPLE))).toContain("14.4 FLOP/B of work, less than the 185");
  });

  it("ends in something to try that is possible", () => {
    expect(tries("memory", EXAMPLE).map(({ values }) => values)).toEqual([
      { batch: 32 },
      { weights: "fp8" },
      { tensor_parallel: 2 },
    ]);
    const tight = { ...EXAMPLE, would_fit: { ...EXAMPLE.would_fit, batch: 20 } };
    expect(tries("overhead", tight)).toEqual([]);
    expect(tries(null, EXAMPLE)).toEqual([]);
  });
});

describe("a model", () => {
  it("is told group by group", () => {
    const lines = Object.fromEntries(groupLines(ANATOMY).map(({ name, values }) => [name, values.map(plain)]));
    expect(lines["Layers"]).toEqual(["18", "18"]);
    expect(lines["A query sees"]).toEqual(["128 tokens", "everything"]);
    expect(lines["Feed-forward"]).toEqual(["4 of 128 experts", "4 of 128 experts"]);
    expect(lines["Cache of a token, bf16"]).toEqual(["36.9 kB", "36.9 kB"]);
    expect(lines["State of a request"]).toBeUndefined();
    expect(plain(inside(ANATOMY))).toBe(
      "36 layers, of 2 kinds. A token goes through 5.71 billion of 117 billion parameters. A token takes 73.7 kB of cache.",
    );
    expect(facts(ANATOMY).map(({ exact }) => exact)).toContain("116829156672");
    expect(featureWords(ANATOMY.features).join()).not.toContain("-of-");
  });

  it("says beside the verdict what is left out and assumed", () => {
    const words = "head_dim is not given: hidden_size / num_attention_heads = 128.";
    expect(caveats(EXAMPLE)).toEqual([{ kind: "Assumed", words }]);
    expect(caveats(LATENT)).toEqual([
      { kind: "Not counted", words: "Drafting with the MTP layers: no pass runs them." },
    ]);
  });

  it("moves the weights that are touched", () => {
    expect(reason(MIXTURE, "tpot")).toContain("for the weights its tokens touch and");
    expect(reason(LATENT, "tpot")).toContain("for the latent cache");
  });

  it("has assumptions of its own", () => {
    const plain = { features: [] as string[] } as Model;
    const mixed = { features: ["mixture-of-experts"] } as Model;
    const of = (model: Model | undefined, { deployment }: Estimate) =>
      irrelevant(model, deployment.model.groups, DEFAULTS);
    expect(of(plain, EXAMPLE)).toEqual(["free_windows", "expert_skew"]);
    expect(of(undefined, EXAMPLE)).toEqual(["kv_heads", "free_windows", "expert_skew"]);
    expect(of(mixed, MIXTURE)).toEqual(["kv_heads"]);
    expect(of(mixed, LATENT)).toEqual(["kv_heads", "free_windows"]);
  });
});

describe("what is not known of an accelerator", () => {
  it("is named where a figure waits for it", () => {
    const { accelerator } = EXAMPLE.deployment;
    expect(unknownWords(accelerator as Partial<Accelerator>)).toBe("");
    expect(unknownWords({ flop_per_s: { fp8: 1 } })).toBe("bf16 or fp16 rate, link rate, price");
  });
});

describe("notices", () => {
  it("say what is missing, and how to give it", () => {
    const lacking = { ...EXAMPLE, missing: ["accelerator.flop_per_s.bf16", "accelerator.link_bytes_per_s"] };
    expect(missing(lacking)[0]).toContain("bf16 compute rate of H100 SXM5 80GB");
    expect(missing(lacking)[1]).toContain("Give a link rate");
  });

  it("warn beyond the context a model was made for", () => {
    expect(contextNotice(EXAMPLE)).toBeNull();
    expect(contextNotice(vary({}, { prompt_tokens: 131_072 }))).toContain("was made for 131,072");
  });
});
