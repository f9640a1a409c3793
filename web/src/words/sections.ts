/** The sections of the studio, in their order; each heading is its address on the page. */
export const SECTIONS = [
  { id: "room", title: "The research room" },
  { id: "question", title: "The answer" },
  { id: "compare", title: "What did the change do?" },
  { id: "fit", title: "Will it fit?" },
  { id: "engine-memory", title: "Why is my KV cache so small?" },
  { id: "bottleneck", title: "What’s the bottleneck?" },
  { id: "inside", title: "What’s inside the model?" },
  { id: "work", title: "Work per byte" },
  { id: "batch-sweep", title: "More requests, more throughput?" },
  { id: "split", title: "Split the model across GPUs" },
  { id: "metrics", title: "What do the figures mean?" },
] as const;

/** Those of the traffic page, likewise. */
export const TRAFFIC_SECTIONS = [
  { id: "slots", title: "Don’t let empty slots wait" },
  { id: "policies", title: "Three policies, the same requests" },
  { id: "timeline", title: "What happened to each request?" },
  { id: "flow", title: "Who runs, who waits, how full is the cache?" },
  { id: "waits", title: "How long do people wait?" },
  { id: "blame", title: "Where did the time go?" },
  { id: "try", title: "Predict, run, understand" },
] as const;

/** Those of the page "Accuracy", likewise. */
export const ACCURACY_SECTIONS = [
  { id: "measured", title: "Predicted against measured" },
  { id: "groups", title: "By source, accelerator and engine" },
  { id: "excluded", title: "What was left out, and why" },
] as const;

const ALL = [...SECTIONS, ...TRAFFIC_SECTIONS, ...ACCURACY_SECTIONS];

export type SectionId = (typeof ALL)[number]["id"];

export function sectionTitle(id: SectionId): string {
  return ALL.find((section) => section.id === id)?.title ?? "";
}
