import type { Outcome } from "./client.ts";
import type { Problem } from "./types.ts";

type Line = { done: number; of: number } | { detail: Problem[] } | object;

/** The lines of a body as they come, without the empty ones. */
async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    const pieces = decoder.decode(value, { stream: !done }).split("\n");
    for (const piece of pieces.slice(0, -1)) {
      const line = parts.splice(0).join("") + piece;
      if (line) yield line;
    }
    parts.push(pieces.at(-1) ?? "");
    if (done) break;
  }
  const last = parts.join("");
  if (last) yield last;
}

/**
 * Posts a question whose answer takes its time: lines of {"done", "of"} come first and go to `onProgress`; the last
 * line is the answer, or why there is none.
 */
export async function postForAnswer<Answer>(
  path: string,
  asked: unknown,
  signal: AbortSignal,
  onProgress: (done: number, of: number) => void,
): Promise<Outcome<Answer>> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(asked), signal });
  if (response.status >= 500 || !response.body) return { kind: "unreachable" };
  let last: Line | null = null;
  for await (const line of lines(response.body)) {
    last = JSON.parse(line) as Line;
    if ("done" in last) onProgress(last.done, last.of);
  }
  if (last === null || "done" in last) return { kind: "unreachable" };
  if ("detail" in last) return { kind: "refused", problems: last.detail };
  return { kind: "answer", answer: last as Answer };
}
