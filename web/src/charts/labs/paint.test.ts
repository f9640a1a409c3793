import { describe, expect, it } from "vitest";
import { inTheme, paint } from "./paint.ts";

describe("a colour on a canvas", () => {
  it("is the one of the theme", () => {
    expect(inTheme(" light-dark(#8b93a1, #6f7888)", "light")).toBe("#8b93a1");
    expect(inTheme("light-dark(#8b93a1, #6f7888)", "dark")).toBe("#6f7888");
    expect(inTheme(" #56b4e9 ", "dark")).toBe("#56b4e9");
  });

  it("is the accent where the API gives a name that the page does not know", () => {
    expect(paint("kv")).toBe("var(--q-kv)");
    expect(paint("mauve")).toBe("var(--accent)");
  });
});
