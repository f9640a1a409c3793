/** What a link says of the room: `room.mode=training&room.station=memory&room.weight=-1.5`. */
import type { StationId } from "../../scene/state.ts";
import { STATIONS } from "../../words/room/stations.ts";
import type { Pairs } from "../extras.svelte.ts";
import { LOWEST, HIGHEST } from "./training.ts";
import type { Mode } from "./scene.ts";

export interface Place {
  mode: Mode;
  station: StationId | null;
  /** Where training starts. */
  weight: number;
}

export const ENTRANCE: Place = Object.freeze({ mode: "inference", station: null, weight: 0 });

const NUMBER = /^-?\d*\.?\d+$/;

/** The value that a text stands for; undefined where it stands for none. */
const READERS: { [K in keyof Place]: (text: string) => Place[K] | undefined } = {
  mode: (text) => (text === "training" || text === "inference" ? text : undefined),
  station: (text) => STATIONS.find(({ id }) => id === text)?.id,
  weight: (text) => {
    const value = NUMBER.test(text) ? Number(text) : Number.NaN;
    return value >= LOWEST && value <= HIGHEST ? value : undefined;
  },
};

/** What differs from where one comes in. */
export function toPairs(place: Place): Pairs {
  const names = Object.keys(ENTRANCE) as (keyof Place)[];
  const changed = names.filter((name) => place[name] !== ENTRANCE[name] && place[name] !== null);
  return Object.fromEntries(changed.map((name) => [`room.${name}`, String(place[name])]));
}

export interface Read {
  place: Place;
  /** `name=value` of everything that could not be used. */
  ignored: string[];
}

export function fromPairs(pairs: Pairs): Read {
  const place: Place = { ...ENTRANCE };
  const ignored: string[] = [];
  for (const [name, text] of Object.entries(pairs)) {
    const field = name.replace(/^room\./, "");
    const value = Object.hasOwn(READERS, field) && name !== field ? READERS[field as keyof Place](text) : undefined;
    if (value === undefined) ignored.push(`${name}=${text}`);
    else Object.assign(place, { [field]: value });
  }
  return { place, ignored };
}
