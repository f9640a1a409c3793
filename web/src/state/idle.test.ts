import { describe, expect, it } from "vitest";
import { LAB } from "../testing/lab.ts";
import { idleWords } from "./idle.ts";

const [control] = LAB.controls;

describe("a control", () => {
  const idle = { unless: { faces: [6, 20], loaded: [true] }, words: "Nothing is thrown." };
  const waiting = { ...control!, idle };

  it("works unless it waits for another", () => {
    expect(idleWords(control!, {})).toBeNull();
  });

  it("is idle until each that it waits for has one of the values", () => {
    expect(idleWords(waiting, { faces: 6, loaded: false })).toBe(idle.words);
    expect(idleWords(waiting, { faces: 8, loaded: true })).toBe(idle.words);
    expect(idleWords(waiting, {})).toBe(idle.words);
    expect(idleWords(waiting, { faces: 20, loaded: true })).toBeNull();
  });
});
