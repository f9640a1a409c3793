/** One entry of a searchable list. */
export interface Option {
  id: string;
  name: string;
  detail: string;
  group: string;
  /** Other names by which it is found. */
  also: readonly string[];
}

export interface Group {
  name: string;
  options: Option[];
}

const plain = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, " ");

/** Options of which every word of the query is a part, in their own order. */
export function match(options: readonly Option[], query: string): Option[] {
  const words = plain(query).split(" ").filter(Boolean);
  return options.filter(({ id, name, group, also }) => {
    const text = plain([id, name, group, ...also].join(" "));
    return words.every((word) => text.includes(word));
  });
}

/** Groups in order of first appearance, so that their order is the catalogue's. */
export function grouped(options: readonly Option[]): Group[] {
  const groups = new Map<string, Option[]>();
  for (const option of options) groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
  return [...groups].map(([name, members]) => ({ name, options: members }));
}
