import { Color } from "three";
import { readTokens } from "../ui/tokens.ts";
import type { RoomState } from "./state.ts";

/** One colour a quantity, as on the rest of the page. */
const TOKENS = {
  math: "--q-math",
  traffic: "--q-traffic",
  communication: "--q-communication",
  weights: "--q-weights",
  kv: "--q-kv",
  workspace: "--q-workspace",
  reserve: "--q-reserve",
  queue: "--q-queue",
  ground: "--sunken",
  surface: "--surface",
  ink: "--ink",
  quiet: "--ink-2",
  line: "--line-strong",
  accent: "--accent",
  bad: "--bad",
} as const;

/** The materials' own colours: powder coat, steel, wood, cloth. */
const DARK = {
  floor: "#4a5269",
  seam: "#3b4257",
  rug: "#3a4a78",
  wall: "#3f4862",
  slat: "#4b5676",
  frame: "#232a3b",
  shell: "#39435d",
  shellLight: "#66738f",
  steel: "#98a4ba",
  wood: "#b98757",
  paper: "#eef0f5",
  board: "#e9edf3",
  package: "#14564a",
  silicon: "#8492ab",
  gold: "#e0b264",
  leaf: "#459a70",
  pot: "#c06b50",
  coat: "#f4f6fa",
  cloth: "#3d4d78",
  skin: "#d8a27e",
  hair: "#33231c",
  sky: "#2b4f96",
  skyLow: "#a58fd0",
  lamp: "#ffdca6",
  free: "#66728f",
} as const;

const LIGHT: Record<keyof typeof DARK, string> = {
  ...DARK,
  floor: "#b9c1cf",
  seam: "#a4adbd",
  rug: "#93a3cf",
  wall: "#cdd3df",
  slat: "#b9c1d0",
  frame: "#4a5266",
  shell: "#59637a",
  shellLight: "#8a95ab",
  steel: "#a3adbf",
  wood: "#cfa173",
  paper: "#f6f8fb",
  board: "#ffffff",
  package: "#1c6a5c",
  coat: "#ffffff",
  sky: "#9cc4f0",
  skyLow: "#e3f0fb",
  lamp: "#fff0d4",
  free: "#8d97ab",
};

export type Tone = keyof typeof TOKENS | keyof typeof DARK;

export interface Palette {
  theme: RoomState["theme"];
  /** As a style sheet writes it, for what is drawn flat. */
  css: Readonly<Record<Tone, string>>;
  /** As light, for what is lit. */
  of(tone: Tone): Color;
}

/** The colours of a theme while it is in use. */
export function palette(theme: RoomState["theme"]): Palette {
  const css = { ...readTokens(TOKENS), ...(theme === "dark" ? DARK : LIGHT) };
  return { theme, css, of: (tone) => new Color(css[tone]) };
}
