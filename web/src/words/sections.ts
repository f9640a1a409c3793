/** The sections of the studio, in their order; each heading is its address on the page. */
export const SECTIONS = [
  { id: "question", title: "The answer" },
  { id: "compare", title: "What did the change do?" },
  { id: "fit", title: "Will it fit?" },
  { id: "bottleneck", title: "What’s the bottleneck?" },
  { id: "inside", title: "What’s inside the model?" },
  { id: "work", title: "Work per byte" },
  { id: "batch-sweep", title: "More requests, more throughput?" },
  { id: "split", title: "Split the model across GPUs" },
  { id: "metrics", title: "What do the figures mean?" },
] as const;

export type SectionId = (typeof SECTIONS)[number]["id"];

export function sectionTitle(id: SectionId): string {
  return SECTIONS.find((section) => section.id === id)?.title ?? "";
}
