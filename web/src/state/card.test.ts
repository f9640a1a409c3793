import { describe, expect, it } from "vitest";
import type { Accelerator } from "../api/types.ts";
import { cardOf, ENTRIES, faultsOf, readCard } from "./card.ts";
import { ownFields } from "./own.ts";

const KNOWN: Partial<Accelerator> = {
  name: "Card",
  memory_bytes: 24e9,
  bandwidth_bytes_per_s: 9.36e11,
  flop_per_s: { fp32: 3.56e13 },
  link_bytes_per_s: null,
};

describe("the form of an accelerator", () => {
  it("shows what is known in human units and reads it back exactly", () => {
    const card = cardOf(KNOWN, "Mine");
    expect(card).toMatchObject({ name: "Mine", memory_bytes: "24", bandwidth_bytes_per_s: "936" });
    expect(card).toMatchObject({ "flop_per_s.fp32": "35.6", "flop_per_s.bf16": "", link_bytes_per_s: "" });
    const read = readCard({ ...card, "flop_per_s.bf16": "71 TFLOP/s" });
    expect("text" in read && ownFields(read.text)).toEqual({
      name: "Mine",
      memory_bytes: 24e9,
      bandwidth_bytes_per_s: 9.36e11,
      flop_per_s: { fp32: 3.56e13, bf16: 7.1e13 },
    });
  });

  it("says which fields are empty and which hold no quantity", () => {
    const card = { ...cardOf(undefined, ""), bandwidth_bytes_per_s: "fast", price_usd_per_hour: "2 GB" };
    expect(readCard(card)).toEqual({
      empty: ["name", "memory_bytes"],
      unread: ["bandwidth_bytes_per_s", "price_usd_per_hour"],
    });
  });

  it("finds the field that a refusal names", () => {
    for (const { path } of ENTRIES)
      expect(faultsOf([{ field: `deployment.accelerator.${path}`, message: "no" }])).toEqual({ [path]: "no" });
    expect(faultsOf([{ field: "body", message: "no" }])).toEqual({ "": "no" });
    expect(faultsOf([{ field: "deployment.accelerator.colour", message: "no" }])).toEqual({ "": "no" });
  });
});
