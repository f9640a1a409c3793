import { describe, expect, it } from "vitest";
import { FREE } from "../state/assignment.ts";
import { LAB, mission } from "../testing/lab.ts";
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
    expect(words.stateWords(gap, 2)).toBe("holds now; counts once star 2 holds too");
    expect(words.stateWords(answer([false, true], 0), 1)).toBe("holds now; counts once star 1 holds too");
  });

  it("score a set-up in a sentence", () => {
    expect(words.scoreWords(answer([false, false], 0))).toBe("No star now. The first one is the goal.");
    expect(words.scoreWords(answer([true, false], 1))).toMatch(/^1 of 2 stars now\. The goal is reached/);
    expect(words.scoreWords(answer([true], 1))).toMatch(/^1 of 1 star now\. Every star is earned/);
  });

  it("lead on, or past what is closed", () => {
    const [placed] = LAB.missions.map((mission) => ({ lab: LAB, mission }));
    expect(words.wayOnWords(placed!, false)).toBe("Next mission: roll");
    expect(words.wayOnWords(placed!, true)).toBe("Meanwhile, in “What do dice do?”: roll");
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

  it("keep the lesson of a mission until it has a star", () => {
    const told = mission("told", { symptom: "It rattles.", teaches: "Dice rattle.", goal: "Quiet." });
    expect([0, 1, 3].map((earned) => words.aboutWords(told, earned))).toEqual([
      "It rattles.",
      "Dice rattle.",
      "Dice rattle.",
    ]);
    expect(words.aboutWords({ ...told, symptom: "", teaches: "" }, 0)).toBe("Quiet.");
  });

  it("say why no hint is offered", () => {
    const helped = mission("helped", { hints: [{ text: "", star: 1 }] });
    expect(words.noHintWords(helped, 0)).toBe("No further hint for star 1.");
    expect(words.noHintWords(helped, 1)).toBe("There is no hint for star 2.");
    expect(words.noHintWords(helped, 2)).toBe("Every star is here; no hint is left to give.");
  });

  it("say how to play without a word of the answer", () => {
    const said = words.playWords(LAB, new Set(["rate", "faces"])).map(({ words: told }) => told);
    expect(said[0]).toMatch(/^You can change tokens and loaded\./);
    expect(said.join(" ")).toContain(words.LOAD);
  });

  it("leave out on paper what is hardly ever in play", () => {
    const wants = [
      { tile: "wait", at_most: 2, at_least: null, quiet: false },
      { tile: "lost", at_most: 0, at_least: null, quiet: true },
    ];
    expect(words.wantsWords(LAB, wants)).toBe("wait: at most 2");
    expect(words.wantsWords(LAB, [{ ...wants[1]!, quiet: false }])).toBe("lost: none");
  });

  it("tell what came of a file", () => {
    expect(words.broughtWords(0, 0)).toBe("The file holds no star that was not here.");
    expect(words.broughtWords(2, 1)).toBe(
      "2 missions have more stars now. 1 of its entries could not be read and was left out.",
    );
  });
});
