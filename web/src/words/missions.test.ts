import { describe, expect, it } from "vitest";
import { FREE } from "../state/assignment.ts";
import { LAB } from "../testing/lab.ts";
import * as words from "./missions.ts";

const answer = (stars: boolean[], earned: number) => ({
  id: "roll",
  stars,
  earned,
  passed: earned > 0,
  words: [],
  present: [],
  reveal: null,
  solution: null,
});

describe("the words of a mission", () => {
  it("tell what counts from what only holds", () => {
    const gap = answer([true, false, true], 1);
    expect([0, 1, 2].map((index) => words.starState(gap, index))).toEqual(["holds", "misses", "waits"]);
    expect(words.stateWords(gap, 2)).toBe("holds, but counts after star 2");
    expect(words.stateWords(answer([false, true], 0), 1)).toBe("holds, but counts after star 1");
  });

  it("score a set-up in a sentence", () => {
    expect(words.scoreWords(answer([false, false], 0))).toBe("No star now. The first one is the goal.");
    expect(words.scoreWords(answer([true, false], 1))).toMatch(/^1 of 2 stars now\. The goal is reached/);
    expect(words.scoreWords(answer([true], 1))).toMatch(/^1 of 1 star now\. Every star is earned/);
  });

  it("name what is hidden and say that it stays", () => {
    expect(words.hiddenWords(LAB, FREE)).toBeNull();
    expect(words.hiddenWords(LAB, { mission: "roll", hidden: ["rate"] })).toBe(
      "rate is hidden by the link that led here and cannot be changed: it stays as the mission has it.",
    );
    expect(words.hiddenWords(LAB, { mission: null, hidden: ["rate", "events", "seed"] })).toBe(
      "rate, What happens meanwhile and Seed are hidden by the link that led here and cannot be changed: they stay as the lab has them.",
    );
  });

  it("say what is left to change", () => {
    expect(words.freeWords(LAB, new Set(["rate", "faces"]))).toBe("You can change tokens and loaded.");
    expect(words.freeWords(LAB, new Set(["rate", "faces", "tokens", "loaded"]))).toBe(
      "Nothing is left to change here.",
    );
  });

  it("write a set-up line by line, as its controls do", () => {
    const settings = { rate: 12, tokens: 1024, faces: 20, loaded: true };
    const lines = words.setupLines(LAB, settings, ["burst"], 7).map(({ label, value }) => `${label}: ${value}`);
    expect(lines).toEqual([
      "rate: 12",
      "tokens: 1,024",
      "faces: 20",
      "loaded: on",
      "What happens meanwhile: Burst",
      "Seed: 7",
    ]);
    expect(words.solutionWords(LAB, { faces: 20, loaded: false })).toBe("faces 20, loaded off");
  });

  it("tell what came of a file", () => {
    expect(words.broughtWords(0, 0)).toBe("The file holds no star that was not here.");
    expect(words.broughtWords(2, 1)).toBe(
      "2 missions have more stars now. 1 of its entries could not be read and was left out.",
    );
  });
});
