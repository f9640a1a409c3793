import { afterEach, describe, expect, it, vi } from "vitest";
import { postForAnswer } from "./stream.ts";

/** A body that arrives in pieces, wherever they were cut. */
function answering(pieces: string[], status = 200): void {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(body, { status })));
}

const ask = async () => {
  const told: number[] = [];
  const outcome = await postForAnswer<{ runs: number[] }>("/x", {}, new AbortController().signal, (done) =>
    told.push(done),
  );
  return { outcome, told };
};

afterEach(() => vi.unstubAllGlobals());

describe("an answer that takes its time", () => {
  it("comes after its progress, however the lines are cut", async () => {
    answering(['{"done":1,"of":4}\n{"do', 'ne":3,"of":4}\n{"runs"', ":[1,2]}\n"]);
    expect(await ask()).toEqual({ outcome: { kind: "answer", answer: { runs: [1, 2] } }, told: [1, 3] });
  });

  it("may be plain JSON", async () => {
    answering(['{"runs":[3]}']);
    expect((await ask()).outcome).toEqual({ kind: "answer", answer: { runs: [3] } });
  });

  it("may be a refusal, at once or after a while", async () => {
    const detail = [{ field: "trace.text", message: "line 3 cannot be used" }];
    answering([JSON.stringify({ detail })], 422);
    expect((await ask()).outcome).toEqual({ kind: "refused", problems: detail });
    answering(['{"done":1,"of":4}\n', JSON.stringify({ detail })]);
    expect((await ask()).outcome).toEqual({ kind: "refused", problems: detail });
  });

  it("may never come", async () => {
    answering(['{"done":1,"of":4}\n']);
    expect((await ask()).outcome).toEqual({ kind: "unreachable" });
    answering(["gone"], 504);
    expect((await ask()).outcome).toEqual({ kind: "unreachable" });
  });
});
