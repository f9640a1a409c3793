import { describe, expect, it } from "vitest";
import { extras } from "./extras.svelte.ts";

describe("settings of a page's own", () => {
  it("are kept page by page, and arrive with an address", () => {
    const before = extras.arrivals;
    extras.keep("predict", { a: "1" });
    expect(extras.arrivals).toBe(before);
    extras.arrive({ predict: {}, studio: { b: "2" } });
    expect(extras.arrivals).toBe(before + 1);
    expect(extras.of("predict")).toEqual({});
    expect(extras.of("studio")).toEqual({ b: "2" });
    extras.arrive({ predict: { a: "3" } });
    expect(extras.of("studio")).toEqual({ b: "2" });
  });
});
