/** One entry of a searchable list. */
export interface Option {
  id: string;
  name: string;
  detail: string;
  group: string;
  /** Other names by which it is found. */
  also: readonly string[];
  /** What kind of thing it is, in a word each; it is found by these too. */
  badges?: readonly string[];
}

export interface Group {
  name: string;
  options: Option[];
}

const plain = (text: string) => text.toLowerCase().replace(/[\s\u00a0_-]+/g, " ");

/** A number is looked for from its first digit on, so that 8b is not found in 38b or in 1.8b. */
function holds(text: string, word: string): boolean {
  if (!/^\d/.test(word)) return text.includes(word);
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/[\d.]/.test(text.charAt(at - 1))) return true;
  }
  return false;
}

/** Options of which every word of the query is a part, in their own order. */
export function match(options: readonly Option[], query: string): Option[] {
  const words = plain(query).split(" ").filter(Boolean);
  return options.filter(({ id, name, detail, group, also, badges = [] }) => {
    const text = plain([id, name, detail, group, ...also, ...badges].join(" "));
    return words.every((word) => holds(text, word));
  });
}

/** Groups in order of first appearance, so that their order is the catalogue's. */
export function grouped(options: readonly Option[]): Group[] {
  const groups = new Map<string, Option[]>();
  for (const option of options) {
    const members = groups.get(option.group);
    if (members) members.push(option);
    else groups.set(option.group, [option]);
  }
  return [...groups].map(([name, members]) => ({ name, options: members }));
}
