import { bytes, text } from "../ui/format.ts";

/** One line of the working: what it is, how it comes about, what it comes to. */
export interface Term {
  name: string;
  how: string;
  value: string;
}

/** How a figure comes about: formulas by name, and the values in them. */
export interface Parts {
  formulas: string[];
  terms: Term[];
}

export const size = (value: number) => text(bytes(value));
