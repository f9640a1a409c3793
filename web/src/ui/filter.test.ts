import { describe, expect, it } from "vitest";
import type { Option } from "./filter.ts";
import { grouped, match } from "./filter.ts";

const option = (id: string, group: string, also: string[] = []): Option => ({ id, name: id, detail: "", group, also });
const OPTIONS = [
  option("llama-3.1-8b", "meta-llama", ["llama3"]),
  option("qwen3-8b", "Qwen"),
  option("llama-2", "meta-llama"),
];
const ids = (options: Option[]) => options.map(({ id }) => id);

describe("searching a list", () => {
  it("wants every word, anywhere, whatever the case and the dashes", () => {
    expect(ids(match(OPTIONS, "8B"))).toEqual(["llama-3.1-8b", "qwen3-8b"]);
    expect(ids(match(OPTIONS, "8b LLAMA"))).toEqual(["llama-3.1-8b"]);
    expect(ids(match(OPTIONS, "llama 3.1 8b"))).toEqual(["llama-3.1-8b"]);
    expect(ids(match(OPTIONS, "llama3"))).toEqual(["llama-3.1-8b"]);
    expect(match(OPTIONS, "  ")).toHaveLength(3);
    expect(match(OPTIONS, "gpt")).toEqual([]);
  });

  it("looks for a number from its first digit on", () => {
    const sizes = ["x-38b", "x-8b", "x-1.8b", "x2.5-7b"].map((id) => option(id, "x"));
    expect(ids(match(sizes, "8b"))).toEqual(["x-8b"]);
    expect(ids(match(sizes, "2.5"))).toEqual(["x2.5-7b"]);
  });

  it("finds by size and kind", () => {
    const made = { ...option("gpt", "OpenAI"), detail: "117\u00a0billion", badges: ["MoE", "windows"] };
    expect(ids(match([made, ...OPTIONS], "moe 117"))).toEqual(["gpt"]);
    expect(ids(match([made, ...OPTIONS], "windows billion"))).toEqual(["gpt"]);
  });

  it("groups without losing the order", () => {
    expect(grouped(OPTIONS).map(({ name, options }) => [name, ids(options)])).toEqual([
      ["meta-llama", ["llama-3.1-8b", "llama-2"]],
      ["Qwen", ["qwen3-8b"]],
    ]);
  });
});
