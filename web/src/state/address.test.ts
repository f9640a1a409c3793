// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ARRIVAL, createAddress } from "./address.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function watch() {
  const steps: string[] = [];
  vi.spyOn(history, "pushState").mockImplementation((_state, _title, url) => void steps.push(`push ${url}`));
  vi.spyOn(history, "replaceState").mockImplementation((_state, _title, url) => void steps.push(`replace ${url}`));
  vi.spyOn(location, "hash", "get").mockReturnValue("#v=1");
  return { steps, address: createAddress(() => undefined) };
}

describe("the address bar", () => {
  it("shows the first edit at once, and the last of those that follow after a moment", () => {
    const { steps, address } = watch();
    address.write("v=1&batch=2", "batch");
    expect(steps).toEqual(["push #v=1&batch=2"]);
    address.write("v=1&batch=3", "batch");
    address.write("v=1&batch=4", "batch");
    expect(steps).toHaveLength(1);
    vi.runAllTimers();
    expect(steps).toEqual(["push #v=1&batch=2", "replace #v=1&batch=4"]);
  });

  it("makes one step of a run of edits to one control", () => {
    const { steps, address } = watch();
    address.write("v=1&batch=2", "batch");
    address.write("v=1&batch=3", "batch");
    vi.runAllTimers();
    address.write("v=1&batch=4", "batch");
    vi.runAllTimers();
    expect(steps).toEqual(["push #v=1&batch=2", "replace #v=1&batch=3", "replace #v=1&batch=4"]);
  });

  it("makes a step of each control, also when they follow quickly", () => {
    const { steps, address } = watch();
    address.write("v=1&batch=2", "batch");
    address.write("v=1&batch=2&kv_cache=fp8", "kv_cache");
    vi.runAllTimers();
    expect(steps).toEqual(["push #v=1&batch=2", "push #v=1&batch=2&kv_cache=fp8"]);
  });

  it("tidies the address of an arrival in place and writes nothing twice", () => {
    const { steps, address } = watch();
    address.write("v=1", ARRIVAL);
    vi.runAllTimers();
    expect(steps).toEqual([]);
    address.write("v=1&batch=2", ARRIVAL);
    address.flush();
    expect(steps).toEqual(["replace #v=1&batch=2"]);
  });
});
