import type { Control, Lab, Mission } from "../api/labs.ts";

/** A lab of no meaning with one control of each kind. */

function control(id: string, rest: Partial<Control>): Control {
  const plain = { label: id, help: "", group: "", unit: "", scale: null, low: null, high: null, step: null };
  return { id, ...plain, kind: "slider", whole: false, default: 0, choices: [], idle: null, ...rest };
}

/** A mission of no meaning. */
export function mission(id: string, rest: Partial<Mission> = {}): Mission {
  const words = { title: id, goal: "", symptom: "", teaches: "", minutes: 1, hints: [] };
  const stars = { stars: ["one", "two"], wants: [[], []] };
  const setup = { settings: {}, events: [], seed: 0, fixed: [] };
  return { id, key: `dice/${id}`, ...words, ...stars, ...setup, order: 0, after: [], ...rest };
}

export const LAB: Lab = {
  id: "dice",
  title: "What do dice do?",
  lesson: "They fall.",
  minutes: 1,
  evidence: { id: "analytical", label: "Analytical model", words: "" },
  source: "",
  controls: [
    control("rate", { scale: "linear", low: 1, high: 20, step: 0.5, default: 5 }),
    control("tokens", { scale: "log", low: 128, high: 4096, step: 1, whole: true, default: 1024 }),
    control("faces", {
      kind: "choice",
      default: 6,
      choices: [
        { value: 6, label: "6", words: "" },
        { value: 20, label: "20", words: "" },
      ],
    }),
    control("loaded", { kind: "switch", default: false }),
  ],
  events: [
    { id: "burst", title: "Burst", words: "", start_s: 40, end_s: 60 },
    { id: "squeeze", title: "Squeeze", words: "", start_s: null, end_s: null },
  ],
  tiles: [],
  charts: [],
  missions: [
    mission("roll", { settings: { rate: 12, faces: 20 }, events: ["burst"], seed: 7, fixed: ["faces"] }),
    mission("again", { order: 1, after: ["dice/roll"] }),
  ],
  pages: [],
  defaults: { settings: { rate: 5, tokens: 1024, faces: 6, loaded: false }, events: [], seed: 0 },
};
