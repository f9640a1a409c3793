import { describe, expect, it } from "vitest";
import type { Question } from "../state/config.ts";
import { DEFAULTS, toRequest } from "../state/config.ts";
import { EXAMPLE } from "../testing/answers.ts";
import type { Estimate } from "./types.ts";
import type { Outcome } from "./client.ts";
import { createAsker } from "./client.ts";

const QUESTION = toRequest(DEFAULTS);
const OTHER = toRequest({ ...DEFAULTS, batch: 2 });

describe("asking", () => {
  it("answers the latest question only, whatever the order of the answers", async () => {
    const pending: { signal: AbortSignal; answer: (outcome: Outcome) => void }[] = [];
    const ask = createAsker<Question, Estimate>(
      (_question, signal) => new Promise((answer) => pending.push({ signal, answer })),
    );
    const first = ask(QUESTION);
    const second = ask(OTHER);
    expect(pending.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    pending[1]!.answer({ kind: "answer", answer: EXAMPLE });
    pending[0]!.answer({ kind: "answer", answer: EXAMPLE });
    expect((await first).kind).toBe("superseded");
    expect((await second).kind).toBe("answer");
  });

  it("takes a failure for an unreachable server, unless it was overtaken", async () => {
    const ask = createAsker<Question, Estimate>(() => Promise.reject(new TypeError("network")));
    expect((await ask(QUESTION)).kind).toBe("unreachable");
    const overtaken = ask(QUESTION);
    void ask(QUESTION);
    expect((await overtaken).kind).toBe("superseded");
  });
});
