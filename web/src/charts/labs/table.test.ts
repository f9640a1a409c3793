import { describe, expect, it } from "vitest";
import type { Chart, ChartData } from "../../api/labs.ts";
import { flattened } from "./points.ts";
import { end, pieces } from "./requests.ts";
import { tableOf } from "./table.ts";

const axis = (label: string, unit: string) => ({ label, unit, scale: "linear" as const, low: null, high: null });
const series = (id: string) => ({ id, label: id, colour: "kv", style: null });

function chart(kind: Chart["kind"], ids: readonly string[], y = axis("amount", "tokens")): Chart {
  return { id: kind, title: kind, kind, words: "", x: axis("time", "s"), y, series: ids.map(series) };
}

const plain = (of: Chart, data: ChartData, row: number) =>
  tableOf(of, data)
    .row(row)
    .map((text) => text.replaceAll("\u00a0", " "));

const REQUESTS = {
  start: [0.5, 2],
  parts: { queue: [0, 1], decode: [1.5, null] },
  rejected: [false, true],
  labels: ["4 in, 5 out", "9 in, 1 out"],
  bands: [],
};

describe("a chart as a table", () => {
  it("has a row for each place of its lines", () => {
    const of = chart("lines", ["used", "free"]);
    const data = { x: [0, 2.5], series: { used: [1, null], free: [2, 3] }, bands: [], levels: [], marks: [] };
    expect(tableOf(of, data).head).toEqual(["time", "used", "free"]);
    expect(plain(of, data, 1)).toEqual(["2.50 s", "–", "3 tokens"]);
  });

  it("has a row for each request", () => {
    const of = chart("requests", ["queue", "decode"]);
    expect(tableOf(of, REQUESTS).head).toEqual(["request", "what", "arrived", "queue", "decode", "served"]);
    expect(plain(of, REQUESTS, 0)).toEqual(["1", "4 in, 5 out", "500 ms", "0 s", "1.50 s", "yes"]);
    expect(plain(of, REQUESTS, 1).at(-1)).toBe("rejected");
  });

  it("marks the bar and the point in use", () => {
    const bars = { categories: ["1", "8"], series: { room: [10, 20] }, current: 1, changes: null, levels: [] };
    expect(plain(chart("bars", ["room"]), bars, 1)).toEqual(["8 (now)", "20 tokens"]);
    const bf16 = { x: [1, null], y: [3, 4], labels: ["one", "two"], current: 0, changes: null };
    const points = { series: { bf16 }, frontier: null };
    expect(plain(chart("points", ["bf16"]), points, 0)).toEqual(["one (now)", "1.00 s", "3 tokens"]);
    expect(tableOf(chart("points", ["bf16"]), points).rows).toBe(1);
  });
});

describe("the parts of a request", () => {
  const of = chart("requests", ["queue", "decode"]);

  it("follow one another from its start", () => {
    expect(pieces(of, REQUESTS, 1)).toEqual([{ id: "queue", label: "queue", colour: "kv", start: 2, seconds: 1 }]);
    expect(pieces(of, REQUESTS, 0)[0]).toMatchObject({ id: "decode", start: 0.5, seconds: 1.5 });
    expect(end(of, REQUESTS)).toBe(3);
    expect(end(of, { start: [], parts: {}, rejected: [], labels: null, bands: [] })).toBe(0);
  });
});

describe("points", () => {
  it("carry the name of their series where there are several", () => {
    const of = chart("points", ["bf16", "fp8"]);
    const data = {
      series: { fp8: { x: [1], y: [2], labels: ["8 heads"], changes: [{ heads: 8 }], current: null } },
      frontier: null,
    };
    expect(flattened(of, data)).toEqual([
      expect.objectContaining({ label: "8 heads, fp8", place: 1, changes: { heads: 8 }, current: false }),
    ]);
  });
});
