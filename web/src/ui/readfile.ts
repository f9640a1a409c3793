/**
 * The text of a file as far as the API would look at it: it refuses what is longer, in its own words, so one byte more
 * is enough to be told so and a file of gigabytes is never read.
 */
const MOST_BYTES = 4_000_001;

export function textOf(file: Blob): Promise<string> {
  return file.slice(0, MOST_BYTES).text();
}
