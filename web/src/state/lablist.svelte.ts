import { tick } from "svelte";
import type { BrokenLab, Lab, Course } from "../api/labs.ts";
import { fetchLabs } from "../api/labs.ts";
import { parts } from "../ui/parts.svelte.ts";
import { TRY_AGAIN } from "../words/labs.ts";
import { unreachable } from "../words/notices.ts";
import { inOrder } from "./missions.ts";
import { notices } from "./notices.svelte.ts";

/** The labs there are, their missions in order, and the ways through them. */
class LabList {
  all = $state.raw<readonly Lab[]>([]);
  broken = $state.raw<readonly BrokenLab[]>([]);
  paths = $state.raw<readonly Course[]>([]);
  loaded = $state(false);
  readonly missions = $derived(inOrder(this.all));

  #loading: Promise<void> | null = null;

  /** Fetches them once; the palette asks for them too. */
  load(): Promise<void> {
    this.#loading ??= this.#fetch();
    return this.#loading;
  }

  async #fetch(): Promise<void> {
    const arrived = parts.hold();
    try {
      const { labs, broken, paths } = await fetchLabs();
      this.all = labs;
      this.broken = broken;
      this.paths = paths;
      this.loaded = true;
      notices.dismiss("unreachable");
    } catch {
      this.#loading = null;
      const run = () => void this.load();
      notices.show({ id: "unreachable", text: unreachable(false), action: { label: TRY_AGAIN, run } });
    }
    await tick();
    arrived();
  }
}

export const lablist = new LabList();
