import type { Catalogue } from "../api/client.ts";
import { createAsker, fetchCatalogue } from "../api/client.ts";
import type { Estimate, Problem } from "../api/types.ts";
import * as words from "../words/notices.ts";
import { ARRIVAL, createAddress } from "./address.ts";
import type { Known, Page } from "./codec.ts";
import { decode, encode, isLink, knownNames } from "./codec.ts";
import type { Config, Field } from "./config.ts";
import { DEFAULTS, fieldAt, sameConfig } from "./config.ts";
import { notices } from "./notices.svelte.ts";
import { CONFIG_KEY, forget, recall, remember } from "./storage.ts";

/** pending: asked; ready: answered; refused: the API named bad fields; unreachable: no answer came. */
export type Status = "pending" | "ready" | "refused" | "unreachable";

type Origin = "control" | "link";

/** The one store: the configuration, the catalogue, and the last good answer. */
class Studio {
  config = $state.raw<Config>(DEFAULTS);
  page = $state<Page>("studio");
  status = $state<Status>("pending");
  estimate = $state.raw<Estimate | null>(null);
  catalogue = $state.raw<Catalogue>({ models: [], accelerators: [] });
  problems = $state.raw<Partial<Record<Field, string>>>({});
  /** Grows whenever the configuration comes from elsewhere than its control: half-typed input is then stale. */
  generation = $state(0);

  #known: Known | null = null;
  #ask = createAsker();
  #address = createAddress((hash) => this.#arrive(hash));

  get ready(): boolean {
    return this.status === "ready";
  }

  async start(): Promise<void> {
    try {
      this.catalogue = await fetchCatalogue();
    } catch {
      this.#lost(() => void this.start());
      return;
    }
    this.#known = knownNames(this.catalogue);
    this.#arrive(isLink(location.hash) ? location.hash : (recall(CONFIG_KEY) ?? ""), true);
  }

  set<F extends Field>(field: F, value: Config[F]): void {
    this.change({ [field]: value }, field);
  }

  /** Several fields at once, as a suggestion does. `edit` names the step of the history. */
  change(values: Partial<Config>, edit: string): void {
    this.config = { ...this.config, ...values };
    void this.#settle("control", edit);
  }

  /** As change, from outside the controls: what is half typed in them gives way. */
  apply(values: Partial<Config>): void {
    this.generation += 1;
    this.change(values, `apply ${this.generation}`);
  }

  reset(): void {
    forget(CONFIG_KEY);
    for (const { id } of notices.list) notices.dismiss(id);
    this.apply(DEFAULTS);
  }

  go(page: Page): void {
    if (page === this.page) return;
    this.page = page;
    this.#address.write(encode(this.config, page), `page ${page}`);
    this.#address.flush();
  }

  retry(): void {
    void this.#settle("control", "retry");
  }

  /** The address that carries this configuration. */
  link(): string {
    return `${location.origin}${location.pathname}#${encode(this.config, this.page)}`;
  }

  #arrive(hash: string, first = false): void {
    // Before the catalogue is there start() reads the address itself; and some fragments are not ours.
    if (!this.#known || (!isLink(hash) && !first)) return;
    const { config, page, ignored } = decode(hash, this.#known);
    this.page = page;
    if (!first && sameConfig(config, this.config) && !ignored.length) return;
    if (ignored.length) notices.show({ id: "ignored", text: words.ignored(ignored) });
    else notices.dismiss("ignored");
    this.config = config;
    this.generation += 1;
    void this.#settle("link", ARRIVAL, ignored);
  }

  /** Asks about the current configuration and puts what comes back on the page. */
  async #settle(origin: Origin, edit: string, ignored: string[] = []): Promise<void> {
    this.status = "pending";
    const outcome = await this.#ask(this.config);
    if (outcome.kind === "answer") this.#accept(outcome.estimate, edit);
    if (outcome.kind === "unreachable") this.#lost(() => this.retry());
    if (outcome.kind !== "refused") return;
    if (origin === "link" && this.#forgive(outcome.problems, ignored)) {
      notices.show({ id: "ignored", text: words.ignored(ignored) });
      return this.#settle(origin, edit, ignored);
    }
    if (onlyDegree(outcome.problems) && this.config.tensor_parallel !== 1)
      return this.#lowerDegree(edit, outcome.problems);
    this.#refuse(outcome.problems);
  }

  #accept(estimate: Estimate, edit: string): void {
    this.estimate = estimate;
    this.problems = {};
    this.status = "ready";
    notices.dismiss("unreachable");
    notices.dismiss("refused");
    const hash = encode(this.config, this.page);
    remember(CONFIG_KEY, hash);
    this.#address.write(hash, edit);
  }

  #refuse(problems: Problem[]): void {
    const named = problems.map(({ field, message }) => [fieldAt(field), message] as const);
    this.problems = Object.fromEntries(named.filter(([field]) => field));
    const rest = named.filter(([field]) => !field).map(([, message]) => message);
    if (rest.length) notices.show({ id: "refused", text: words.refused(rest) });
    else notices.dismiss("refused");
    notices.dismiss("unreachable");
    this.status = "refused";
  }

  #lost(again: () => void): void {
    this.status = "unreachable";
    notices.show({
      id: "unreachable",
      text: words.unreachable(this.estimate !== null),
      action: { label: "Try again", run: again },
    });
  }

  /** Puts fields of a link that the API refused back to their defaults; false when there is nothing to put back. */
  #forgive(problems: Problem[], ignored: string[]): boolean {
    const fields = problems.map(({ field }) => fieldAt(field)).filter((field) => field !== null);
    const bad = fields.filter((field) => this.config[field] !== DEFAULTS[field]);
    ignored.push(...bad.map((field) => `${field}=${this.config[field]}`));
    this.config = { ...this.config, ...Object.fromEntries(bad.map((field) => [field, DEFAULTS[field]])) };
    return bad.length > 0;
  }

  /**
   * A change elsewhere (another model) can forbid the degree in use. One device always works and its answer lists the
   * degrees that do; the largest of them that is not above the wanted one is taken, and said.
   */
  async #lowerDegree(edit: string, problems: Problem[]): Promise<void> {
    const wanted = this.config.tensor_parallel;
    this.config = { ...this.config, tensor_parallel: 1 };
    const outcome = await this.#ask(this.config);
    if (outcome.kind === "unreachable") this.#lost(() => this.retry());
    if (outcome.kind === "refused") this.#refuse(outcome.problems);
    if (outcome.kind !== "answer") return;
    const allowed = outcome.estimate.tensor_parallel_options.filter(
      (option) => option.allowed && option.degree <= wanted,
    );
    const degree = Math.max(1, ...allowed.map((option) => option.degree));
    notices.show({ id: "degree", text: words.lowered(degree, problems[0]!.message) });
    if (degree === 1) return this.#accept(outcome.estimate, edit);
    this.config = { ...this.config, tensor_parallel: degree };
    return this.#settle("control", edit);
  }
}

function onlyDegree(problems: Problem[]): boolean {
  return problems.every(({ field }) => fieldAt(field) === "tensor_parallel");
}

export const studio = new Studio();
