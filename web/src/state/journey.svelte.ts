import type { Step } from "../api/labs.ts";
import { ROLE_KEY, SEEN_KEY, recall, remember } from "./storage.ts";

/** Beyond it, something else wrote there. */
const MOST = 500;

function stored(): string[] {
  try {
    const found: unknown = JSON.parse(recall(SEEN_KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((id): id is string => typeof id === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function stepKey({ kind, id }: Pick<Step, "kind" | "id">): string {
  return `${kind}:${id}`;
}

/** What was seen on the way to something else: a lab that a mission is played in. */
export function metKey(step: Pick<Step, "kind" | "id">): string {
  return `met ${stepKey(step)}`;
}

/** Whose path the visitor follows, and the labs and pages that were opened on it. */
class Journey {
  role = $state<string | null>(recall(ROLE_KEY));
  seen = $state.raw<readonly string[]>(stored());

  choose(role: string): void {
    this.role = role;
    remember(ROLE_KEY, role);
  }

  note(step: Pick<Step, "kind" | "id">): void {
    this.#add(stepKey(step));
  }

  /** Not opened itself. */
  meet(step: Pick<Step, "kind" | "id">): void {
    this.#add(metKey(step));
  }

  /** Added to what another tab may have noted meanwhile. */
  #add(key: string): void {
    if (this.seen.includes(key)) return;
    this.seen = [...new Set([...stored(), ...this.seen, key])].slice(-MOST);
    remember(SEEN_KEY, JSON.stringify(this.seen));
  }
}

export const journey = new Journey();
