import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Outcome } from "../api/client.ts";
import { PATIENCE_MS, Runner } from "./runner.ts";

interface Sent {
  asked: number;
  signal: AbortSignal;
  answer: (value: number) => Promise<void>;
  fail: () => Promise<void>;
}

function runner() {
  const sent: Sent[] = [];
  const heard: [number, Outcome<number>][] = [];
  const send = (asked: number, signal: AbortSignal) =>
    new Promise<Outcome<number>>((resolve, reject) => {
      const settle = (act: () => void) => {
        act();
        return vi.advanceTimersByTimeAsync(0).then(() => undefined);
      };
      const answer = (value: number) => settle(() => resolve({ kind: "answer", answer: value }));
      sent.push({ asked, signal, answer, fail: () => settle(() => reject(new Error("gone"))) });
    });
  const made = new Runner<number, number>(
    send,
    (asked, outcome) => heard.push([asked, outcome]),
    () => Date.now(),
  );
  return { made, sent, heard, asked: () => sent.map(({ asked }) => asked) };
}

const answered = (value: number) => ({ kind: "answer", answer: value });

describe("a runner", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("asks at once, then only the newest of what came meanwhile", async () => {
    const { made, sent, heard, asked } = runner();
    for (const question of [1, 2, 3, 4]) made.ask(question);
    expect(asked()).toEqual([1]);
    await sent[0]!.answer(10);
    expect(asked()).toEqual([1, 4]);
    await sent[1]!.answer(40);
    expect(heard).toEqual([
      [1, answered(10)],
      [4, answered(40)],
    ]);
    expect(made.busy).toBe(false);
  });

  it("does not wait long for an answer that nobody wants any more", async () => {
    const { made, sent, heard, asked } = runner();
    made.ask(1);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 10);
    made.ask(2);
    expect(asked()).toEqual([1]);
    await vi.advanceTimersByTimeAsync(10);
    expect(asked()).toEqual([1, 2]);
    expect(sent[0]!.signal.aborted).toBe(true);
    await sent[0]!.answer(10);
    await sent[1]!.answer(20);
    expect(heard).toEqual([[2, answered(20)]]);
  });

  it("takes the place of an old question at once", async () => {
    const { made, asked } = runner();
    made.ask(1);
    await vi.advanceTimersByTimeAsync(10 * PATIENCE_MS);
    made.ask(2);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked()).toEqual([1, 2]);
  });

  it("tells of a server that is gone, and asks again", async () => {
    const { made, sent, heard } = runner();
    made.ask(1);
    await sent[0]!.fail();
    expect(heard).toEqual([[1, { kind: "unreachable" }]]);
    made.ask(2);
    await sent[1]!.answer(20);
    expect(heard.at(-1)).toEqual([2, answered(20)]);
  });

  it("stops", async () => {
    const { made, sent, heard } = runner();
    made.ask(1);
    made.ask(2);
    made.stop();
    await sent[0]!.answer(10);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    expect(heard).toEqual([]);
    expect(sent).toHaveLength(1);
  });
});
