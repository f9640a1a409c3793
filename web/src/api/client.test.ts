import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../state/config.ts";
import { EXAMPLE } from "../testing/answers.ts";
import type { Outcome } from "./client.ts";
import { createAsker } from "./client.ts";

describe("asking", () => {
  it("answers the latest question only, whatever the order of the answers", async () => {
    const pending: { signal: AbortSignal; answer: (outcome: Outcome) => void }[] = [];
    const ask = createAsker((_config, signal) => new Promise((answer) => pending.push({ signal, answer })));
    const first = ask(DEFAULTS);
    const second = ask({ ...DEFAULTS, batch: 2 });
    expect(pending.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    pending[1]!.answer({ kind: "answer", estimate: EXAMPLE });
    pending[0]!.answer({ kind: "answer", estimate: EXAMPLE });
    expect((await first).kind).toBe("superseded");
    expect((await second).kind).toBe("answer");
  });

  it("takes a failure for an unreachable server, unless it was overtaken", async () => {
    const ask = createAsker(() => Promise.reject(new TypeError("network")));
    expect((await ask(DEFAULTS)).kind).toBe("unreachable");
    const overtaken = ask(DEFAULTS);
    void ask(DEFAULTS);
    expect((await overtaken).kind).toBe("superseded");
  });
});
