import { THEME_KEY, forget, recall, remember } from "./storage.ts";

export type Mode = "light" | "dark";

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

/** Follows the system until the visitor chooses otherwise; choosing what the system has means following it again. */
class Theme {
  #system = $state<Mode>(systemIsDark.matches ? "dark" : "light");
  #chosen = $state<Mode | null>(null);

  constructor() {
    const remembered = recall(THEME_KEY);
    if (remembered === "light" || remembered === "dark") this.#chosen = remembered;
    systemIsDark.addEventListener("change", ({ matches }) => (this.#system = matches ? "dark" : "light"));
  }

  get mode(): Mode {
    return this.#chosen ?? this.#system;
  }

  get other(): Mode {
    return this.mode === "dark" ? "light" : "dark";
  }

  toggle(): void {
    const next = this.other;
    this.#chosen = next === this.#system ? null : next;
    if (this.#chosen) remember(THEME_KEY, this.#chosen);
    else forget(THEME_KEY);
    const root = document.documentElement;
    if (this.#chosen) root.dataset["theme"] = this.#chosen;
    else delete root.dataset["theme"];
  }
}

export const theme = new Theme();
