import { describe, expect, it } from "vitest";
import { cut } from "./cut.ts";

describe("a file too long for a question", () => {
  it("keeps whole lines", () => {
    expect(cut("aaaa\nbbbb\ncccc\n", 100)).toBe("aaaa\nbbbb\ncccc\n");
    expect(cut("aaaa\nbbbb\ncccc\n", 13)).toBe("aaaa\nbbbb\n");
    expect(cut("aaaa\nbbbb\ncccc\n", 9)).toBe("aaaa\n");
  });

  it("counts what JSON makes longer, and bytes rather than letters", () => {
    const quoted = '"a"\n'.repeat(10);
    expect(JSON.stringify(cut(quoted, 40)).length).toBeLessThanOrEqual(42);
    const wide = "äää\n".repeat(10);
    expect(new TextEncoder().encode(cut(wide, 40)).length).toBeLessThanOrEqual(40);
  });
});
