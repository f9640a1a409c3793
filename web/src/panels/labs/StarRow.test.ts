// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it } from "vitest";
import { LAB, mission } from "../../testing/lab.ts";
import StarRow from "./StarRow.svelte";

const judged = (tile: string, met: boolean, quiet: boolean) => ({
  tile,
  label: tile,
  wanted: "none",
  now: met ? "0" : "3",
  met,
  quiet,
});

function show(waiting: boolean, lost: boolean) {
  const present = [[judged("waiting", !waiting, false), judged("lost", !lost, true)]];
  const stars = [!waiting && !lost];
  const earned = stars[0] ? 1 : 0;
  const graded = { id: "one", stars, earned, passed: earned > 0, words: [], present, reveal: null, solution: null };
  render(StarRow, { lab: LAB, mission: mission("one", { stars: ["calm"] }), index: 0, graded, tiles: {} });
}

afterEach(cleanup);

describe("a star", () => {
  it("says of each figure what is there and what is wanted, kept or not", () => {
    show(false, false);
    expect(screen.getByText("waiting")).toBeTruthy();
    expect(screen.getByText("earned")).toBeTruthy();
  });

  it("is silent about a quiet figure while it is kept", () => {
    show(true, false);
    expect(screen.getByText("waiting")).toBeTruthy();
    expect(screen.queryByText("lost")).toBeNull();
  });

  it("tells of a quiet figure once it is broken", () => {
    show(false, true);
    expect(screen.getByText("lost")).toBeTruthy();
    expect(screen.getByText("not yet")).toBeTruthy();
  });
});
