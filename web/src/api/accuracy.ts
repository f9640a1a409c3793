/** The report on accuracy: scores, every row as columns, and what was left out. */
import { getJson } from "./client.ts";
import type { components } from "./schema.d.ts";
import type { Answered } from "./types.ts";

export type Accuracy = Answered<components["schemas"]["Accuracy"]>;
export type Headline = Accuracy["headlines"][number];
export type GroupScore = Accuracy["groups"][number];
export type Points = Accuracy["points"];

export async function fetchAccuracy(): Promise<Accuracy> {
  return (await getJson("/api/accuracy")) as Accuracy;
}
