import { describe, expect, it } from "vitest";
import { LAB } from "../testing/lab.ts";
import { readSetup, sameSetup, setupPairs } from "./lablink.ts";

const { defaults } = LAB;

describe("the set-up of a lab in a link", () => {
  it("is the lab alone where nothing differs", () => {
    expect(setupPairs(LAB, defaults)).toEqual({ lab: "dice" });
    expect(readSetup(LAB, { lab: "dice" })).toEqual({ setup: defaults, ignored: [] });
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
    expect(readSetup(LAB, pairs)).toEqual({ setup, ignored: [] });
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

describe("two set-ups", () => {
  it("are the same whatever the order of their events", () => {
    const one = { ...defaults, events: ["burst", "squeeze"] };
    expect(sameSetup(one, { ...defaults, events: ["squeeze", "burst"] })).toBe(true);
    expect(sameSetup(one, { ...defaults, events: ["squeeze"] })).toBe(false);
    expect(sameSetup(defaults, { ...defaults, seed: 1 })).toBe(false);
    expect(sameSetup(defaults, { ...defaults, settings: { ...defaults.settings, rate: 6 } })).toBe(false);
  });
});
