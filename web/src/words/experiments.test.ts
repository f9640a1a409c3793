import { describe, expect, it } from "vitest";
import { FIELDS } from "../state/config.ts";
import { INT4 } from "../testing/answers.ts";
import { EXPERIMENTS, classify, judge, resultOf, scoreWords } from "./experiments.ts";

describe("experiments", () => {
  it("are at least ten, each with its own name and two sentences to learn", () => {
    expect(EXPERIMENTS.length).toBeGreaterThanOrEqual(10);
    expect(new Set(EXPERIMENTS.map(({ id }) => id)).size).toBe(EXPERIMENTS.length);
    for (const { id, lesson, from, values } of EXPERIMENTS) {
      expect(lesson.match(/[.](?=\s|$)/g), id).toHaveLength(2);
      for (const field of Object.keys({ ...from, ...values })) expect(FIELDS).toContain(field);
    }
  });

  it("judge a prediction by direction, then by size", () => {
    expect(classify(0.369)).toEqual({ direction: "falls", size: "more" });
    expect(classify(1.04)).toEqual({ direction: "stays", size: "hardly" });
    expect(classify(1.13)).toEqual({ direction: "rises", size: "little" });
    expect(judge({ direction: "falls", size: "more" }, 0.369)).toBe("right");
    expect(judge({ direction: "falls", size: "little" }, 0.369)).toBe("way");
    expect(judge({ direction: "stays", size: "hardly" }, 0.369)).toBe("wrong");
  });

  it("put the API's result in words", () => {
    const int4 = EXPERIMENTS.find(({ id }) => id === "int4-tpot")!;
    const result = resultOf(int4, INT4)!;
    expect(result.words.replaceAll("\u00a0", " ")).toBe("It falls 2.71 times: from 7.00 ms to 2.58 ms.");
    expect(resultOf(int4, { ...INT4, figures: [] })).toBeNull();
  });

  it("sum up a score", () => {
    expect(scoreWords([])).toBe("No prediction yet.");
    expect(scoreWords(["right", "way", "wrong"])).toBe("1 right, 1 right in direction only, of 3 predictions.");
  });
});
