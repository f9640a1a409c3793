import type { Lab, Mission } from "../../api/labs.ts";
import type { Page } from "../../pages/pages.ts";
import type { Assignment } from "../../state/assignment.ts";
import { FREE, opening } from "../../state/assignment.ts";
import { setupPairs } from "../../state/lablink.ts";

/** Addresses of what the catalogue lists. They carry no configuration of the studio: whoever follows one begins anew. */

function href(page: Page, pairs: Readonly<Record<string, string>> = {}): string {
  return `#${new URLSearchParams({ v: "1", page, ...pairs }).toString()}`;
}

export function pageHref(page: Page): string {
  return href(page);
}

export function labHref(lab: Lab, assignment: Assignment = FREE, handout = false): string {
  return href("labs", setupPairs(lab, opening(lab, assignment), { assignment, handout }));
}

export function missionHref(lab: Lab, mission: Mission): string {
  return labHref(lab, { mission: mission.id, hidden: [] });
}

/** A plain click stays on the page; a new tab or window gets the same address. */
export function plainly(go: () => void): (event: MouseEvent) => void {
  return (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go();
  };
}
