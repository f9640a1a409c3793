// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { STARS_KEY } from "./storage.ts";
import type { Stars } from "./stars.ts";
import { best, gained, readBackup, readStars, writeBackup } from "./stars.ts";
import { stars } from "./stars.svelte.ts";

const stored = (): Stars => readStars(localStorage.getItem(STARS_KEY));

/** What this tab hears when another one has written. */
function elsewhere(value: string | null): void {
  if (value === null) localStorage.removeItem(STARS_KEY);
  else localStorage.setItem(STARS_KEY, value);
  dispatchEvent(new StorageEvent("storage", { key: STARS_KEY, newValue: value }));
}

beforeEach(() => stars.forget());

describe("stars in storage", () => {
  it("have each entry judged on its own", () => {
    const text =
      '{"dice/two": 2, "dice/none": 0, "dice/four": 4, "half/a": 1.5, "no key": 1, "dice/word": "3", "x/y": 1}';
    expect(readStars(text)).toEqual({ "dice/two": 2, "x/y": 1 });
  });

  it("are none where something else is stored", () => {
    for (const text of [null, "", "[]", "[1]", "null", "3", '"a"', "{", '{"a":{}}'])
      expect(readStars(text)).toEqual({});
  });

  it("never get fewer", () => {
    stars.earn("dice/two", 2);
    stars.earn("dice/two", 1);
    expect(stars.of("dice/two")).toBe(2);
    expect(stored()).toEqual({ "dice/two": 2 });
  });
});

describe("stars of several tabs", () => {
  it("are added to what is stored, heard of or not", () => {
    stars.earn("dice/one", 1);
    localStorage.setItem(STARS_KEY, '{"dice/two":3}');
    stars.earn("dice/three", 2);
    expect(stored()).toEqual({ "dice/one": 1, "dice/two": 3, "dice/three": 2 });
  });

  it("are put back where another tab wrote without them", () => {
    stars.earn("dice/one", 1);
    elsewhere('{"dice/two":3}');
    expect(stars.all).toEqual({ "dice/one": 1, "dice/two": 3 });
    expect(stored()).toEqual({ "dice/one": 1, "dice/two": 3 });
  });

  it("are forgotten in all of them", () => {
    stars.earn("dice/one", 1);
    elsewhere(null);
    expect(stars.all).toEqual({});
    dispatchEvent(new StorageEvent("storage", { key: "another", newValue: '{"dice/one":1}' }));
    expect(stars.all).toEqual({});
  });
});

describe("stars in a file", () => {
  it("come back as they went", () => {
    const earned = { "dice/two": 2, "a/b": 3 };
    expect(readBackup(writeBackup(earned))).toEqual({ stars: earned, spoiled: 0 });
    expect(readBackup(writeBackup({}))).toEqual({ stars: {}, spoiled: 0 });
  });

  it("are judged one by one", () => {
    const text = '{"kind": "servelab stars", "version": 1, "stars": {"a/b": 3, "c/d": 9, "e": 1}}';
    expect(readBackup(text)).toEqual({ stars: { "a/b": 3 }, spoiled: 2 });
  });

  it("are refused in one sentence where they are none", () => {
    const files = [
      "",
      "stars",
      "[]",
      "null",
      "{}",
      '{"kind": "servelab stars"}',
      '{"kind": "servelab stars", "version": 2}',
    ];
    files.push('{"kind": "servelab stars", "version": 1, "stars": [1]}');
    for (const text of files) expect(readBackup(text)).toMatch(/^This file [^.]+; [^.]+\.$|^This file [^;]+; [^.]+\.$/);
  });

  it("only ever add", () => {
    expect(best({ "a/b": 3, "c/d": 1 }, { "a/b": 1, "c/d": 2, "e/f": 1 })).toEqual({ "a/b": 3, "c/d": 2, "e/f": 1 });
    expect(gained({ "a/b": 3, "c/d": 1 }, { "a/b": 3, "c/d": 2, "e/f": 1 })).toBe(2);
  });
});
