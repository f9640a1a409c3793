import { tick } from "svelte";
import type { Accuracy } from "../../api/accuracy.ts";
import { fetchAccuracy } from "../../api/accuracy.ts";
import { parts } from "../../ui/parts.svelte.ts";
import { ignored, unreachable } from "../../words/notices.ts";
import { extras } from "../extras.svelte.ts";
import type { Pairs } from "../extras.svelte.ts";
import { notices } from "../notices.svelte.ts";
import { studio } from "../studio.svelte.ts";
import type { Choice, Filter, Filters, Row } from "./rows.ts";
import { ALL, FILTERS, chosen, choices, counted, rowsOf, summary, worstFirst } from "./rows.ts";

export const OWN = "accuracy";

/** Whose predictions are shown: the calibrated ones, or the textbook's. */
export type Whose = "calibrated" | "textbook";

/** The report, and which of its rows are looked at. The link carries what differs from all. */
class AccuracyPage {
  report = $state.raw<Accuracy | null>(null);
  filters = $state.raw<Filters>(ALL);
  /** The metric of the chart, which has one unit; "" for the one of most rows. */
  metric = $state("");
  whose = $state<Whose>("calibrated");

  #rows = $derived.by<readonly Row[]>(() => {
    const rows = this.report ? rowsOf(this.report.points) : [];
    if (this.whose === "calibrated") return rows;
    return rows.map((row) => ({ ...row, predicted: row.textbook, low: null, high: null }));
  });
  readonly chosen = $derived(chosen(this.#rows, this.filters));
  readonly metrics = $derived<readonly Choice[]>(counted(this.chosen, "metric"));
  readonly shownMetric = $derived(
    this.metrics.some(({ value }) => value === this.metric) ? this.metric : (this.metrics[0]?.value ?? ""),
  );
  readonly charted = $derived(worstFirst(this.chosen.filter(({ metric }) => metric === this.shownMetric)));
  readonly summary = $derived(summary(this.chosen));
  readonly filtered = $derived(FILTERS.some((name) => this.filters[name]));

  #loading: Promise<void> | null = null;

  load(): Promise<void> {
    this.#loading ??= this.#fetch();
    return this.#loading;
  }

  async #fetch(): Promise<void> {
    const arrived = parts.hold();
    try {
      this.report = await fetchAccuracy();
      notices.dismiss("unreachable");
      this.arrive(extras.of("accuracy"));
    } catch {
      this.#loading = null;
      const again = { label: "Try again", run: () => void this.load() };
      notices.show({ id: "unreachable", text: unreachable(false), action: again });
    }
    await tick();
    arrived();
  }

  choices(of: Filter): Choice[] {
    return choices(this.#rows, this.filters, of);
  }

  set(name: Filter, value: string): void {
    this.filters = { ...this.filters, [name]: value };
    this.#note(name);
  }

  /** The rows of one source, accelerator and engine. */
  only(group: Partial<Filters>): void {
    this.filters = { ...ALL, ...group };
    this.#note("group");
  }

  show(metric: string): void {
    this.metric = metric;
    this.#note("metric");
  }

  take(whose: Whose): void {
    this.whose = whose;
    this.#note("whose");
  }

  clear(): void {
    this.only({});
  }

  /** Takes what an address says, each pair judged on its own. */
  arrive(pairs: Pairs): void {
    if (!this.report) return;
    const rows = rowsOf(this.report.points);
    const found: Record<string, string> = { ...ALL };
    const bad: string[] = [];
    let [metric, whose]: [string, Whose] = ["", "calibrated"];
    for (const [pair, value] of Object.entries(pairs)) {
      const name = pair.slice(OWN.length + 1);
      const filter = FILTERS.find((known) => known === name);
      if (filter && rows.some((row) => row[filter] === value)) found[filter] = value;
      else if (name === "metric" && rows.some((row) => row.metric === value)) metric = value;
      else if (name === "of" && value === "textbook") whose = value;
      else bad.push(`${pair}=${value}`);
    }
    [this.filters, this.metric, this.whose] = [found as unknown as Filters, metric, whose];
    if (bad.length) notices.show({ id: "accuracy-ignored", text: ignored(bad) });
    else notices.dismiss("accuracy-ignored");
  }

  #note(edit: string): void {
    const set = FILTERS.filter((name) => this.filters[name]).map((name) => [`${OWN}-${name}`, this.filters[name]]);
    if (this.metric) set.push([`${OWN}-metric`, this.metric]);
    if (this.whose === "textbook") set.push([`${OWN}-of`, this.whose]);
    extras.keep("accuracy", Object.fromEntries(set) as Pairs);
    studio.note(`accuracy ${edit}`);
  }
}

export const accuracy = new AccuracyPage();
