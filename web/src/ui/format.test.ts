import { describe, expect, it } from "vitest";
import {
  byteRate,
  bytes,
  count,
  figures,
  flop,
  large,
  percent,
  plural,
  seconds,
  share,
  shift,
  text,
  usd,
} from "./format.ts";

const shown = (value: { number: string; unit: string }) => text(value).replace("\u00a0", " ");

describe("figures", () => {
  it.each([
    [0, "0"],
    [7.0012, "7.00"],
    [12.44, "12.4"],
    [540.9, "541"],
    [999.6, "1,000"],
    [5463, "5,460"],
    [1_234_567, "1,230,000"],
    [0.0124, "0.0124"],
    [0.000012345, "1.23 × 10⁻⁵"],
    [1.2345e12, "1.23 × 10¹²"],
  ])("%d is %s", (value, expected) => expect(figures(value)).toBe(expected));
});

describe("units as people write them", () => {
  it.each([
    [seconds(0.0124), "12.4 ms"],
    [seconds(0.9996), "1.00 s"],
    [seconds(0.00099951), "1.00 ms"],
    [seconds(19.5e-6), "19.5 µs"],
    [seconds(3e-10), "0.300 ns"],
    [seconds(0), "0 s"],
    [seconds(119), "119 s"],
    [seconds(600), "10.0 min"],
    [seconds(7200), "2.00 h"],
    [seconds(864_000), "10.0 days"],
    [bytes(61.24e9), "61.2 GB"],
    [bytes(999.9e6), "1.00 GB"],
    [bytes(0), "0 B"],
    [bytes(1e23), "100 ZB"],
    [byteRate(2.68e12), "2.68 TB/s"],
    [flop(2.675e14), "268 TFLOP"],
    [usd(0.4654), "$0.465"],
    [share(0.025), "2.50 %"],
    [percent(0.5), "50 %"],
  ])("%o is %s", (value, expected) => expect(shown(value)).toBe(expected));

  it("writes counts in full and parameters in words", () => {
    expect(count(131_072)).toBe("131,072");
    expect(large(8_030_261_248)).toBe("8.03\u00a0billion");
    expect(plural(1, "request")).toBe("1\u00a0request");
    expect(plural(1024, "token")).toBe("1,024\u00a0tokens");
  });
});

describe("shift", () => {
  it("moves the point exactly, there and back", () => {
    for (const typed of ["0.1", "0.3", "2.7", "1e3", "123456.789", "0.000001"]) {
      expect(shift(shift(typed, -3), 3)).toBe(Number(typed));
    }
    expect(shift("0.3", -3)).toBe(0.0003);
    expect(shift(2e9, -9)).toBe(2);
    expect(shift(1e21, -9)).toBe(1e12);
  });

  it("leaves what is no number as such", () => {
    expect(shift("", 3)).toBeNaN();
    expect(shift("a", 3)).toBeNaN();
  });
});
