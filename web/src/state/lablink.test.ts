import { describe, expect, it } from "vitest";
import { LAB } from "../testing/lab.ts";
import { FREE } from "./assignment.ts";
import { AT_PLAY, readSetup, sameSetup, setupPairs } from "./lablink.ts";

const { defaults } = LAB;

describe("the set-up of a lab in a link", () => {
  it("is the lab alone where nothing differs", () => {
    expect(setupPairs(LAB, defaults)).toEqual({ lab: "dice" });
    expect(readSetup(LAB, { lab: "dice" })).toEqual({ setup: defaults, ...AT_PLAY, ignored: [] });
  });

  it("comes back as it went", () => {
    const setup = {
      settings: { rate: 7.25, tokens: 200, faces: 20, loaded: true },
      events: ["squeeze", "burst"],
      seed: 41,
    };
    const pairs = setupPairs(LAB, setup);
    expect(pairs).toEqual({
      lab: "dice",
      "lab.rate": "7.25",
      "lab.tokens": "200",
      "lab.faces": "20",
      "lab.loaded": "true",
      "lab-events": "squeeze,burst",
      "lab-seed": "41",
    });
    expect(readSetup(LAB, pairs)).toEqual({ setup, ...AT_PLAY, ignored: [] });
  });

  it("has each part judged on its own", () => {
    const { setup, ignored } = readSetup(LAB, {
      "lab.rate": "8",
      "lab.tokens": "200.5",
      "lab.faces": "7",
      "lab.loaded": "maybe",
      "lab.colour": "blue",
      "lab-events": "flood,burst,burst",
      "lab-seed": "-1",
    });
    expect(setup).toEqual({ settings: { ...defaults.settings, rate: 8 }, events: ["burst"], seed: 0 });
    expect(ignored).toEqual([
      "lab.tokens=200.5",
      "lab.faces=7",
      "lab.loaded=maybe",
      "lab.colour=blue",
      "lab-events=flood",
      "lab-seed=-1",
    ]);
  });

  it("keeps within what a control can take", () => {
    for (const text of ["0.99", "20.01", "1e9", "NaN", "Infinity", ""]) {
      expect(readSetup(LAB, { "lab.rate": text }).setup).toEqual(defaults);
    }
  });
});

describe("a mission in a link", () => {
  const begun = { settings: { rate: 12, tokens: 1024, faces: 20, loaded: false }, events: ["burst"], seed: 7 };
  const roll = { mission: "roll", hidden: [] };

  it("is where the set-up begins", () => {
    const pairs = { lab: "dice", "lab-mission": "roll" };
    expect(setupPairs(LAB, begun, { assignment: roll, handout: false })).toEqual(pairs);
    expect(readSetup(LAB, pairs)).toEqual({ setup: begun, assignment: roll, handout: false, ignored: [] });
  });

  it("comes back with what was changed, hidden and shown", () => {
    const play = { assignment: { mission: "roll", hidden: ["rate", "seed"] }, handout: true };
    const setup = { ...begun, settings: { ...begun.settings, tokens: 512, loaded: true } };
    const pairs = setupPairs(LAB, setup, play);
    expect(pairs).toEqual({
      lab: "dice",
      "lab-mission": "roll",
      "lab-hide": "rate,seed",
      "lab-view": "handout",
      "lab.tokens": "512",
      "lab.loaded": "true",
    });
    expect(readSetup(LAB, pairs)).toEqual({ setup, ...play, ignored: [] });
  });

  it("keeps its question, and what is hidden, whatever the link says", () => {
    const pairs = { "lab-mission": "roll", "lab-hide": "rate", "lab.rate": "3", "lab.faces": "6", "lab.tokens": "512" };
    const read = readSetup(LAB, { ...pairs, "lab-events": "squeeze", "lab-seed": "8" });
    expect(read.setup).toEqual({ ...begun, settings: { ...begun.settings, tokens: 512 } });
    expect(read.ignored).toEqual(["lab.rate=3", "lab.faces=6", "lab-events=squeeze", "lab-seed=8"]);
  });

  it("has each part judged on its own", () => {
    const read = readSetup(LAB, { "lab-mission": "fly", "lab-hide": "rate,colour,rate", "lab-view": "handout" });
    expect(read.assignment).toEqual({ mission: null, hidden: ["rate"] });
    expect(read.handout).toBe(false);
    expect(read.ignored).toEqual(["lab-hide=colour", "lab-mission=fly", "lab-view=handout"]);
    expect(read.setup).toEqual(defaults);
    expect(readSetup(LAB, {}).assignment).toEqual(FREE);
  });
});

describe("two set-ups", () => {
  it("are the same whatever the order of their events", () => {
    const one = { ...defaults, events: ["burst", "squeeze"] };
    expect(sameSetup(one, { ...defaults, events: ["squeeze", "burst"] })).toBe(true);
    expect(sameSetup(one, { ...defaults, events: ["squeeze"] })).toBe(false);
    expect(sameSetup(defaults, { ...defaults, seed: 1 })).toBe(false);
    expect(sameSetup(defaults, { ...defaults, settings: { ...defaults.settings, rate: 6 } })).toBe(false);
  });
});
