import { describe, expect, it } from "vitest";
import { LAB, mission } from "../testing/lab.ts";
import { byLab, earnedIn, hintsLeft, inOrder, isOpen, nextMission, openedBy, openerOf, waitsFor } from "./missions.ts";

const chain = [
  mission("one", { order: 2 }),
  mission("two", { order: 3, after: ["dice/one"] }),
  mission("three", { order: 5, after: ["dice/two", "gone/away"] }),
];
const all = inOrder([
  { ...LAB, missions: chain },
  { ...LAB, id: "other", missions: [mission("first", { order: 1, key: "other/first" })] },
]);
const keys = (placed: typeof all) => placed.map(({ mission: { key } }) => key);
const open = (stars: Record<string, number>) => keys(all.filter((placed) => isOpen(placed, all, stars)));

describe("missions", () => {
  it("stand in one order over all labs", () => {
    expect(keys(all)).toEqual(["other/first", "dice/one", "dice/two", "dice/three"]);
  });

  it("open with a star in all that come before, wherever they are installed", () => {
    expect(open({})).toEqual(["other/first", "dice/one"]);
    expect(open({ "dice/one": 1 })).toEqual(["other/first", "dice/one", "dice/two"]);
    expect(open({ "dice/two": 3 })).toEqual(["other/first", "dice/one", "dice/three"]);
    expect(keys(waitsFor(all[3]!, all, {}))).toEqual(["dice/two"]);
  });

  it("lead on to the next that is open and has no star, and back to the first", () => {
    const next = (stars: Record<string, number>, key?: string) => nextMission(all, stars, key)?.mission.key ?? null;
    expect(next({})).toBe("other/first");
    expect(next({ "dice/one": 1 }, "dice/one")).toBe("dice/two");
    expect(next({ "dice/one": 1, "dice/two": 1, "dice/three": 1 }, "dice/three")).toBe("other/first");
    expect(next({ "dice/one": 1, "dice/two": 1, "dice/three": 1, "other/first": 2 }, "dice/three")).toBeNull();
    // The one under way is never its own next.
    expect(next({ "other/first": 1 }, "dice/one")).toBeNull();
  });

  it("lead on in the same lab before any other", () => {
    const more = inOrder([
      { ...LAB, missions: [mission("one"), mission("last", { order: 9 })] },
      { ...LAB, id: "other", missions: [mission("first", { order: 1, key: "other/first" })] },
    ]);
    expect(nextMission(more, {}, "dice/one")?.mission.key).toBe("dice/last");
    expect(nextMission(more, {}, "dice/last")?.mission.key).toBe("dice/one");
    expect(nextMission(more, { "dice/last": 1 }, "dice/one")?.mission.key).toBe("other/first");
  });

  it("say which one a star would open", () => {
    const opened = (stars: Record<string, number>, key: string) => openedBy(all, stars, key)?.mission.key ?? null;
    expect(opened({}, "dice/one")).toBe("dice/two");
    expect(opened({}, "dice/two")).toBe("dice/three");
    expect(opened({ "dice/one": 1 }, "dice/one")).toBeNull();
    expect(opened({ "dice/two": 1 }, "dice/one")).toBeNull();
    expect(opened({}, "other/first")).toBeNull();
  });

  it("are opened by the first of those before them that can be played", () => {
    const opener = (at: number, stars: Record<string, number>) => openerOf(all[at]!, all, stars)?.mission.key ?? null;
    expect(opener(3, {})).toBe("dice/one");
    expect(opener(3, { "dice/one": 1 })).toBe("dice/two");
    expect(opener(3, { "dice/two": 1 })).toBeNull();
    const knot = [mission("a", { after: ["dice/b"] }), mission("b", { after: ["dice/a"] })];
    const closed = inOrder([{ ...LAB, missions: knot }]);
    expect(openerOf(closed[0]!, closed, {})).toBeNull();
  });

  it("stand by lab", () => {
    const groups = byLab(all).map(({ lab, missions }) => [lab.id, ...keys(missions)]);
    expect(groups).toEqual([
      ["other", "other/first"],
      ["dice", "dice/one", "dice/two", "dice/three"],
    ]);
  });

  it("give hints for the first star that is missing, each once", () => {
    const hints = [1, 2, 1, 3].map((star) => ({ text: "", star }));
    const helped = mission("helped", { hints, stars: ["one", "two", "three"] });
    expect(hintsLeft(helped, 0, [])).toEqual([0, 2]);
    expect(hintsLeft(helped, 0, [0])).toEqual([2]);
    expect(hintsLeft(helped, 0, [0, 2])).toEqual([]);
    expect(hintsLeft(helped, 1, [0])).toEqual([1]);
    expect(hintsLeft(helped, 3, [])).toEqual([]);
  });

  it("count no more stars than they have", () => {
    expect(earnedIn(chain, { "dice/one": 3, "dice/two": 1, "gone/away": 3 })).toEqual({ earned: 3, most: 6 });
  });
});
