import type { Kind } from "./own.ts";
import { ownFields, tagOf } from "./own.ts";
import { OWN_KEY, recall, remember } from "./storage.ts";

type Texts = Readonly<Record<Kind, readonly string[]>>;

/** The newest of each kind that are kept. */
const MOST = 12;

const EMPTY: Texts = { model: [], accelerator: [] };

/** What is stored, each entry judged on its own. */
function stored(): Texts {
  try {
    const found = JSON.parse(recall(OWN_KEY) ?? "{}") as Record<string, unknown> | null;
    const good = (list: unknown) =>
      Array.isArray(list)
        ? list.filter((text): text is string => typeof text === "string" && ownFields(text) !== null).slice(0, MOST)
        : [];
    return { model: good(found?.["model"]), accelerator: good(found?.["accelerator"]) };
  } catch {
    return EMPTY;
  }
}

/** The visitor's own models and accelerators, newest first: in this browser, and for this visit where it keeps none. */
class Shelf {
  #texts = $state.raw<Texts>(stored());

  of(kind: Kind): readonly string[] {
    return this.#texts[kind];
  }

  keep(kind: Kind, text: string): void {
    if (this.of(kind).includes(text)) return;
    this.#write({ ...this.#texts, [kind]: [text, ...this.of(kind)].slice(0, MOST) });
  }

  /** A new text in the place of an older one. */
  replace(kind: Kind, old: string, text: string): void {
    this.#write({ ...this.#texts, [kind]: this.of(kind).filter((kept) => kept !== old) });
    this.keep(kind, text);
  }

  remove(kind: Kind, text: string): void {
    this.#write({ ...this.#texts, [kind]: this.of(kind).filter((kept) => kept !== text) });
  }

  /** The text behind a tag; anything else stands for itself. */
  resolve(kind: Kind, handle: string): string {
    return this.of(kind).find((text) => tagOf(text) === handle) ?? handle;
  }

  #write(texts: Texts): void {
    this.#texts = texts;
    remember(OWN_KEY, JSON.stringify(texts));
  }
}

export const shelf = new Shelf();
