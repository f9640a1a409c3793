import { describe, expect, it } from "vitest";
import { ENTRANCE, fromPairs, toPairs } from "./link.ts";

describe("what a link says of the room", () => {
  it("is what differs, and comes back", () => {
    expect(toPairs(ENTRANCE)).toEqual({});
    const place = { mode: "training", station: "memory", weight: -1.5 } as const;
    const pairs = toPairs(place);
    expect(pairs).toEqual({ "room.mode": "training", "room.station": "memory", "room.weight": "-1.5" });
    expect(fromPairs(pairs)).toEqual({ place, ignored: [] });
  });

  it.each([
    ["room.mode", "sleep"],
    ["room.station", "garden"],
    ["room.station", "null"],
    ["room.weight", "3.01"],
    ["room.weight", "1e0"],
    ["room.weight", ""],
    ["room.door", "open"],
    ["room.toString", "1"],
    ["room", "training"],
    ["room-mode", "training"],
  ])("leaves %s=%s out and nothing else", (name, text) => {
    expect(fromPairs({ [name]: text, "room.mode": name === "room.mode" ? text : "training" })).toEqual({
      place: { ...ENTRANCE, mode: name === "room.mode" ? "inference" : "training" },
      ignored: [`${name}=${text}`],
    });
  });
});
