import { notices } from "../notices.svelte.ts";
import { shortened } from "../../words/traffic/notices.ts";
import { cut } from "./cut.ts";
import { traffic } from "./traffic.svelte.ts";

/** No more of a file is read than could be of use. */
const MOST_READ_BYTES = 16_000_000;

/** A file of requests, from the picker or dropped on the page: sent to this machine's server, and nowhere else. */
export async function takeFile(file: File): Promise<void> {
  const text = await file.slice(0, MOST_READ_BYTES).text();
  const used = cut(text);
  if (used.length < text.length || file.size > MOST_READ_BYTES)
    notices.show({ id: "shortened", text: shortened(file.name, used.split("\n").length - 1) });
  else notices.dismiss("shortened");
  traffic.take({ name: file.name, text: used });
}
