import { describe, expect, it } from "vitest";
import { LAB } from "../testing/lab.ts";
import { FREE, held, hideable, keptChanges, keptIds, opening, sameAssignment } from "./assignment.ts";

const roll = { mission: "roll", hidden: ["rate"] };

describe("what is asked of whoever plays", () => {
  it("begins with the mission's set-up, else the lab's", () => {
    expect(opening(LAB, FREE)).toBe(LAB.defaults);
    expect(opening(LAB, roll)).toEqual({
      settings: { rate: 12, tokens: 1024, faces: 20, loaded: false },
      events: ["burst"],
      seed: 7,
    });
  });

  it("keeps the mission's question and all that is hidden", () => {
    expect([...keptIds(LAB, roll)].sort()).toEqual(["events", "faces", "rate", "seed"]);
    expect(keptIds(LAB, FREE).size).toBe(0);
    const wanted = { settings: { rate: 1, tokens: 512, faces: 6, loaded: true }, events: [], seed: 0 };
    const stays = { settings: { rate: 12, tokens: 512, faces: 20, loaded: true }, events: ["burst"], seed: 7 };
    expect(held(LAB, roll, wanted)).toEqual(stays);
    expect(keptChanges(LAB, roll, wanted)).toEqual(["rate", "faces", "events", "seed"]);
    expect(keptChanges(LAB, roll, stays)).toEqual([]);
    expect(held(LAB, FREE, wanted)).toBe(wanted);
  });

  it("may hide every control, what happens, and the seed", () => {
    expect(hideable(LAB)).toEqual(["rate", "tokens", "faces", "loaded", "events", "seed"]);
    expect(hideable({ ...LAB, events: [] })).not.toContain("events");
  });

  it("is the same whatever the order of what is hidden", () => {
    expect(sameAssignment({ mission: "a", hidden: ["x", "y"] }, { mission: "a", hidden: ["y", "x"] })).toBe(true);
    expect(sameAssignment({ mission: "a", hidden: [] }, { mission: "b", hidden: [] })).toBe(false);
    expect(sameAssignment({ mission: "a", hidden: ["x"] }, { mission: "a", hidden: [] })).toBe(false);
  });
});
