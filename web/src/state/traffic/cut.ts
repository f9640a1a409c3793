/** What fits into a question beside everything else; the server takes 4 MB in all. */
const MOST_BYTES = 3_900_000;

/** The longest run of whole lines that fits once it is written as JSON, where quotes and line ends grow. */
export function cut(text: string, most = MOST_BYTES): string {
  const bytes = new TextEncoder().encode(text);
  let size = 0;
  let end = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    size += byte < 32 || byte === 34 || byte === 92 ? 2 : 1;
    if (size > most) return new TextDecoder().decode(bytes.subarray(0, end));
    if (byte === 10) end = i + 1;
  }
  return text;
}
