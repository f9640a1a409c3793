import { describe, expect, it } from "vitest";
import { EXAMPLE, INT4, TOO_LARGE } from "../testing/answers.ts";
import { changeWords, compare, partRows, signed } from "./compare.ts";

const faster = { ...EXAMPLE, tpot_s: EXAMPLE.tpot_s! / 2.71, output_tokens_per_s: EXAMPLE.output_tokens_per_s! * 1.03 };
const plain = (text: string | undefined) => text?.replaceAll("\u00a0", " ");

describe("against a baseline", () => {
  it("says which way, whether that is good, and by how much", () => {
    expect(compare("tpot", EXAMPLE, faster)).toEqual({
      way: "down",
      good: true,
      words: "2.71× faster than the baseline",
    });
    expect(compare("tpot", faster, EXAMPLE)).toMatchObject({
      way: "up",
      good: false,
      words: "2.71× slower than the baseline",
    });
    expect(plain(compare("throughput", EXAMPLE, faster)?.words)).toBe("3.00 % more than the baseline");
    expect(compare("cost", EXAMPLE, EXAMPLE)).toEqual({ way: "same", good: null, words: "as the baseline" });
  });

  it("says nothing of what has no figure", () => {
    expect(compare("ttft", EXAMPLE, TOO_LARGE)).toBeNull();
    expect(compare("ttft", TOO_LARGE, EXAMPLE)?.words).toBe("the baseline has no figure");
  });

  it("names what changed and where the time went", () => {
    expect(changeWords(INT4)).toEqual(["Weights format: as published → int4"]);
    const rows = partRows(INT4.decode!);
    expect(rows.map(({ name }) => name)).toEqual(["Linear layers", "Attention", "Overhead"]);
    expect(plain(rows[0]!.difference.words)).toBe("−4.42 ms");
    expect(signed(0)).toBe("0");
  });
});
