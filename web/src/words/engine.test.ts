import { describe, expect, it } from "vitest";
import type { Reading } from "../api/types.ts";
import { asValues, changeLabel, difference, lineValue, recoveredValues, sentence, withoutFlag } from "./engine.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const line = (difference_fraction: number | null) => ({ difference_fraction }) as Reading["lines"][number];

describe("the words of an engine's memory", () => {
  it("makes a sentence, and leaves a setting at its beginning as it is written", () => {
    expect(sentence("use 2 devices")).toBe("Use 2 devices.");
    expect(sentence("max_num_seqs 4 is few.")).toBe("max_num_seqs 4 is few.");
    expect(sentence("--frob: what")).toBe("--frob: what.");
  });

  it("says nothing of flags where there are controls", () => {
    expect(withoutFlag("no accelerator is named: give --accelerator with a catalogue id")).toBe(
      "no accelerator is named",
    );
    expect(withoutFlag("lower --max-num-seqs")).toBe("lower --max-num-seqs");
  });

  it("writes figures as logs do, and a difference only where there is one", () => {
    expect(plain(lineValue(2 ** 30, "B"))).toBe("1.00 GiB");
    expect(plain(lineValue(26.3125, "×"))).toBe("26.31 ×");
    expect(lineValue(420896, "tokens")).toBe("420,896");
    expect(lineValue(null, "B")).toBe("—");
    expect([0.021, -0.021, 0.0002, -0.0002].map((part) => plain(difference(line(part))))).toEqual([
      "+2.1 %",
      "−2.1 %",
      "0.0 %",
      "0.0 %",
    ]);
    expect(difference(line(null))).toBe("—");
  });

  it("turns a change into settings of the studio, where there is a control for it", () => {
    expect(asValues({ field: "deployment.kv_cache", value: "fp8" })).toEqual({ kv_cache: "fp8" });
    expect(asValues({ field: "deployment.tensor_parallel", value: 16 })).toBeNull();
    expect(asValues(null)).toBeNull();
    expect(plain(changeLabel({ field: "gpu_memory_utilization", value: 0.95 }))).toBe("Utilisation 95 %");
    expect(plain(changeLabel({ field: "deployment.tensor_parallel", value: 2 }))).toBe("2 devices");
  });

  it("takes over what a text says, and nothing it does not", () => {
    const recovered = { model: "qwen3-8b", accelerator: null, tensor_parallel: 16, device_memory_bytes: 8e10 };
    expect(recoveredValues({ recovered } as unknown as Reading)).toEqual({ model: "qwen3-8b" });
  });
});
