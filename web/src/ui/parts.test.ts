import { describe, expect, it } from "vitest";
import { parts } from "./parts.svelte.ts";

describe("parts on their way", () => {
  it("leave the page whole only when all of them have arrived", async () => {
    const first = parts.hold();
    const second = parts.hold();
    let settled = false;
    const waiting = parts.settled().then(() => (settled = true));
    first();
    first();
    await Promise.resolve();
    expect(parts.whole).toBe(false);
    expect(settled).toBe(false);
    second();
    await waiting;
    expect(parts.whole).toBe(true);
    expect(settled).toBe(true);
  });

  it("keep nobody waiting where there are none", async () => {
    await expect(parts.settled()).resolves.toBeUndefined();
  });
});
