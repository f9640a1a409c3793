import { describe, expect, it } from "vitest";
import type { Model } from "../api/types.ts";
import { EXAMPLE } from "../testing/answers.ts";
import { DEFAULTS, toRequest } from "./config.ts";
import { canShareHeads, headChoices, withKvHeads } from "./kvheads.ts";

const model = { ...EXAMPLE.deployment.model, id: "llama-3.1-8b", features: [] as string[] } as unknown as Model;

describe("a model with other KV heads", () => {
  it("keeps everything but their number, and says so in its name", () => {
    const derived = withKvHeads(model, 2)!;
    expect(derived).toMatchObject({
      name: "Llama-3.1-8B with 2 KV heads",
      kv_heads: 2,
      layers: 32,
      vocab_size: 128256,
    });
    expect(derived).not.toHaveProperty("groups");
    expect(withKvHeads(model, 8)).toBeNull();
  });

  it("is derived only where all layers are plain and alike", () => {
    expect(canShareHeads(model)).toBe(true);
    expect(canShareHeads({ ...model, features: ["sliding-window"] })).toBe(false);
    expect(withKvHeads({ ...model, features: ["mixture-of-experts"] }, 2)).toBeNull();
  });

  it("is what the API is asked about", () => {
    const asked = toRequest({ ...DEFAULTS, kv_heads: 1 }, [model]).deployment;
    expect(asked["model"]).toMatchObject({ kv_heads: 1, name: "Llama-3.1-8B with 1 KV head" });
    expect(asked).not.toHaveProperty("kv_heads");
    expect(toRequest(DEFAULTS, [model]).deployment["model"]).toBe("llama-3.1-8b");
  });

  it("leaves a model of one's own as it is", () => {
    const own = JSON.stringify({ name: "Mine", layers: 2 });
    const asked = toRequest({ ...DEFAULTS, model: own, kv_heads: 1 }, [model]).deployment;
    expect(asked["model"]).toEqual({ name: "Mine", layers: 2 });
  });

  it("offers what divides the query heads", () => {
    expect(headChoices(32)).toEqual([1, 2, 4, 8, 16, 32]);
  });
});
