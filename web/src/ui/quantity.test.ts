import { describe, expect, it } from "vitest";
import { BANDWIDTH, MEMORY, PRICE, RATE, parseQuantity, writeQuantity } from "./quantity.ts";

describe("a quantity", () => {
  it.each([
    ["80", MEMORY, 80e9],
    ["80 GB", MEMORY, 80e9],
    ["80gb", MEMORY, 80e9],
    ["24 GiB", MEMORY, 24 * 2 ** 30],
    ["0.5 TB", MEMORY, 5e11],
    ["3.35 TB/s", BANDWIDTH, 3.35e12],
    ["3350", BANDWIDTH, 3.35e12],
    ["1,979 TFLOP/s", RATE, 1.979e15],
    ["1.979 pflops", RATE, 1.979e15],
    ["989.4", RATE, 9.894e14],
    ["$2.95", PRICE, 2.95],
    [".5 $/h", PRICE, 0.5],
    ["1e3", BANDWIDTH, 1e12],
  ])("%s is read", (text, unit, value) => expect(parseQuantity(text, unit)).toBe(value));

  it.each(["fast", "80 GB/s", "8O", "1,2", "12,34 GB", "-3", "3..5", "80 bananas", "Infinity", "0x10"])(
    "%s is none",
    (text) => expect(parseQuantity(text, MEMORY)).toBeUndefined(),
  );

  it("may be left open", () => {
    expect(parseQuantity("  ", MEMORY)).toBeNull();
    expect(writeQuantity(null, MEMORY)).toBe("");
  });

  it.each([80e9, 85_899_345_920, 3.35e12, 0.1, 1e21])("reads back as %d", (value) => {
    expect(parseQuantity(writeQuantity(value, MEMORY), MEMORY)).toBe(value);
  });
});
