import { describe, expect, it } from "vitest";
import type { Row } from "./rows.ts";
import { ALL, choices, chosen, error, quantile, rowsOf, summary, worstFirst } from "./rows.ts";

const row = (changes: Partial<Row>): Row => ({
  id: "a",
  source: "lab",
  engine: "vllm",
  accelerator: "card",
  model: "m",
  phase: "decode",
  metric: "tpot_s",
  regime: "static_batch",
  weights: "bf16",
  tensor_parallel: 1,
  batch: 1,
  rate_per_s: null,
  prompt_tokens: 1,
  output_tokens: 2,
  measured: 1,
  predicted: 1,
  low: null,
  high: null,
  textbook: null,
  ...changes,
});

const group = (source: string, ...predicted: (number | null)[]) =>
  predicted.map((value, i) => row({ id: `${source}${i}`, source, predicted: value }));

describe("rows", () => {
  it("come from columns", () => {
    const one = row({ id: "x", predicted: null });
    const columns = Object.fromEntries(Object.entries(one).map(([name, value]) => [name, [value]]));
    expect(rowsOf(columns as never)).toEqual([one]);
  });

  it("are chosen by every filter that is set", () => {
    const rows = [row({ id: "a" }), row({ id: "b", engine: "sglang" }), row({ id: "c", phase: "prefill" })];
    expect(chosen(rows, ALL)).toEqual(rows);
    expect(chosen(rows, { ...ALL, engine: "vllm", phase: "prefill" }).map(({ id }) => id)).toEqual(["c"]);
  });

  it("say what a filter can be with the others as they are", () => {
    const rows = [row({}), row({ engine: "sglang" }), row({ engine: "sglang", phase: "prefill" })];
    expect(choices(rows, { ...ALL, engine: "vllm", phase: "decode" }, "engine")).toEqual([
      { value: "vllm", rows: 1 },
      { value: "sglang", rows: 1 },
    ]);
  });
});

describe("errors", () => {
  it("are shares of what was measured, and 100 % without a prediction", () => {
    expect(error(row({ measured: 2, predicted: 3 }))).toBe(0.5);
    expect(error(row({ predicted: null }))).toBe(1);
  });

  it("order rows by ratio, either way, those without a prediction first", () => {
    const rows = [
      row({ id: "twice", predicted: 2 }),
      row({ id: "third", predicted: 1 / 3 }),
      row({ id: "none", predicted: null }),
      row({ id: "right" }),
    ];
    expect(worstFirst(rows).map(({ id }) => id)).toEqual(["none", "third", "twice", "right"]);
  });
});

describe("a summary", () => {
  it("is the median over groups of five rows or more, and the p90 of all rows", () => {
    const rows = [...group("a", 1.1, 1.1, 1.1, 1.1, 1.1), ...group("b", 1.3, 1.3, 1.3, 1.3, null), ...group("c", 9, 9)];
    const { median, groups, predicted, p90, ...rest } = summary(rows);
    expect(rest).toEqual({ rows: 12 });
    expect([groups, predicted]).toEqual([2, 11]);
    expect(median).toBeCloseTo(0.2);
    expect(p90).toBeCloseTo(7.3);
  });

  it("has no score where no group is large enough", () => {
    expect(summary(group("a", 1, 1)).median).toBeNull();
    expect(summary([])).toEqual({ rows: 0, predicted: 0, groups: 0, median: null, p90: null });
  });

  it("interpolates quantiles", () => {
    expect(quantile([1, 2, 4], 0.75)).toBe(3);
    expect(quantile([], 0.5)).toBeNull();
  });
});
