import { askReading, createAsker } from "../api/client.ts";
import type { Problem, Reading } from "../api/types.ts";
import { UNREACHABLE } from "../words/notices.ts";
import { asReference } from "./own.ts";

/** A request holds 4 MB of JSON, in which a character may take six; a start-up is at the beginning of its log. */
export const MOST_CHARACTERS = 600_000;

/** A start-up log or a command under way: its text, and what was understood of it. */
class Reader {
  text = $state("");
  answer = $state.raw<Reading | null>(null);
  problems = $state.raw<readonly Problem[]>([]);
  asking = $state(false);
  /** Whether the accelerator is the studio's, since the text names none. */
  borrowed = $state(false);
  /** Whether only the beginning of the text was read. */
  cut = $state(false);

  #ask = createAsker(askReading);

  /** Reads the text; where it names no accelerator the studio's takes its place. */
  async read(text: string, accelerator: string): Promise<void> {
    this.text = text;
    this.answer = null;
    this.problems = [];
    this.borrowed = false;
    this.cut = text.length > MOST_CHARACTERS;
    this.asking = text.trim() !== "";
    if (!this.asking) return;
    const read = text.slice(0, MOST_CHARACTERS);
    let outcome = await this.#ask({ text: read });
    const nameless = outcome.kind === "answer" && outcome.answer.missing.some(({ field }) => field === "accelerator");
    if (nameless) outcome = await this.#ask({ text: read, accelerator: asReference(accelerator) });
    if (outcome.kind === "superseded") return;
    this.asking = false;
    this.borrowed = nameless && outcome.kind === "answer";
    if (outcome.kind === "answer") this.answer = outcome.answer;
    else this.problems = outcome.kind === "refused" ? outcome.problems : [{ field: "body", message: UNREACHABLE }];
  }

  clear(): void {
    void this.read("", "");
  }
}

export const reader = new Reader();
