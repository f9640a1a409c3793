import { describe, expect, it } from "vitest";
import { asReference, fitsLink, handleOf, isOwn, isTag, linked, ownFields, ownText, spoken, tagOf } from "./own.ts";

const TEXT = ownText({ name: "Mine", layers: 2, hidden_size: null, parts: [], groups: [{ layers: 2, window: null }] });
const LONG = ownText({ name: "Long", words: "x".repeat(3000) });

describe("an object of one's own", () => {
  it("keeps what says something", () => {
    expect(TEXT).toBe('{"name":"Mine","layers":2,"groups":[{"layers":2}]}');
    expect(ownFields(TEXT)).toEqual({ name: "Mine", layers: 2, groups: [{ layers: 2 }] });
    expect(spoken(TEXT)).toBe("Mine");
  });

  it("is told from a catalogue id, which goes as it is", () => {
    expect([isOwn(TEXT), isOwn("l4")]).toEqual([true, false]);
    expect(asReference("l4")).toBe("l4");
    expect(asReference(TEXT)).toEqual(ownFields(TEXT));
    expect([handleOf("l4"), spoken("l4"), linked("l4")]).toEqual(["l4", "l4", "l4"]);
  });

  it.each(["", "l4", "{", "[]", "{}", '{"name":1}', '{"name":null}', "null", `{"name":"${"x".repeat(1_000_001)}"}`])(
    "is none in %.20s",
    (text) => expect(ownFields(text)).toBeNull(),
  );

  it("has a tag that is its own", () => {
    expect(isTag(tagOf(TEXT))).toBe(true);
    expect(tagOf(TEXT)).not.toBe(tagOf(LONG));
    expect(tagOf("")).toBe("own-811c9dc5");
    expect(tagOf("a")).toBe("own-e40c292c");
  });

  it("goes into a link where it is short, and is named there where it is not", () => {
    expect([fitsLink(TEXT), linked(TEXT)]).toEqual([true, TEXT]);
    expect([fitsLink(LONG), linked(LONG)]).toEqual([false, tagOf(LONG)]);
  });
});
