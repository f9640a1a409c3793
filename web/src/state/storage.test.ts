// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { forget, recall, remember } from "./storage.ts";

afterEach(() => vi.unstubAllGlobals());

describe("storage", () => {
  it("remembers and forgets", () => {
    remember("key", "value");
    expect(recall("key")).toBe("value");
    forget("key");
    expect(recall("key")).toBeNull();
  });

  it("goes without where it is blocked", () => {
    const blocked = () => {
      throw new DOMException("blocked", "SecurityError");
    };
    vi.stubGlobal("localStorage", { getItem: blocked, setItem: blocked, removeItem: blocked });
    expect(() => remember("key", "value")).not.toThrow();
    expect(() => forget("key")).not.toThrow();
    expect(recall("key")).toBeNull();
  });
});
