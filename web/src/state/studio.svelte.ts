import type { Catalogue } from "../api/client.ts";
import { askEstimate, createAsker, fetchCatalogue } from "../api/client.ts";
import type { Estimate, Model, Problem } from "../api/types.ts";
import * as words from "../words/notices.ts";
import { ARRIVAL, createAddress } from "./address.ts";
import { Baseline } from "./baseline.svelte.ts";
import { Charts } from "./charts.svelte.ts";
import type { Known, Page } from "./codec.ts";
import { decode, encode, isLink, knownNames } from "./codec.ts";
import type { Config, Field, Question } from "./config.ts";
import { DEFAULTS, fieldAt, sameConfig, toRequest } from "./config.ts";
import { guide } from "./guide.svelte.ts";
import { History } from "./history.svelte.ts";
import { notices } from "./notices.svelte.ts";
import { irrelevant } from "./relevant.ts";
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

  readonly history = new History();
  readonly charts = new Charts();
  readonly baseline = new Baseline((config) => this.question(config));

  #known: Known | null = null;
  #ask = createAsker(askEstimate);
  #address = createAddress((hash) => this.#arrive(hash));

  get ready(): boolean {
    return this.status === "ready";
  }

  /** Whether the charts show the answer that the tiles show. */
  get drawn(): boolean {
    return this.ready && this.charts.followed === this.estimate;
  }

  /** The chosen model as the catalogue has it. */
  get ownModel(): Model | undefined {
    return this.catalogue.models.find(({ id }) => id === this.config.model);
  }

  /** Assumptions that say nothing about the chosen model. */
  get irrelevant(): Field[] {
    return irrelevant(this.ownModel, this.estimate?.deployment.model.groups ?? []);
  }

  async start(): Promise<void> {
    try {
      this.catalogue = await fetchCatalogue();
    } catch {
      this.#lost(() => void this.start());
      return;
    }
    this.#known = knownNames(this.catalogue);
    void this.baseline.restore(this.#known).then(() => this.baseline.follow(this.config));
    this.#arrive(isLink(location.hash) ? location.hash : (recall(CONFIG_KEY) ?? ""), true);
  }

  set<F extends Field>(field: F, value: Config[F]): void {
    this.change({ [field]: value }, field);
  }

  /** Several fields at once, as a suggestion does. `edit` names the step of the history. */
  change(values: Partial<Config>, edit: string): void {
    // Another model has KV heads of its own.
    const own = values.model !== undefined && values.kv_heads === undefined ? { kv_heads: null } : {};
    this.config = { ...this.config, ...values, ...own };
    void this.#settle("control", edit);
  }

  /** As change, from outside the controls: what is half typed in them gives way. */
  apply(values: Partial<Config>): void {
    this.generation += 1;
    this.change(values, `apply ${this.generation}`);
  }

  reset(): void {
    forget(CONFIG_KEY);
    this.baseline.unpin();
    guide.close();
    for (const { id } of notices.list) notices.dismiss(id);
    this.apply(DEFAULTS);
  }

  undo(): void {
    this.#goTo(this.history.undo(this.config), "undo");
  }

  redo(): void {
    this.#goTo(this.history.redo(), "redo");
  }

  /** Everything that follows is compared with the answer on screen. */
  pin(): void {
    if (this.estimate) void this.pinAs(this.config, this.estimate);
  }

  async pinAs(config: Config, estimate: Estimate | null = null): Promise<void> {
    await this.baseline.pin(config, estimate);
    await this.baseline.follow(this.config);
  }

  /** What the API is asked about a configuration. */
  question(config: Config): Question {
    return toRequest(config, this.catalogue.models);
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

  #goTo(config: Config | null, way: string): void {
    if (!config) return;
    this.config = config;
    this.generation += 1;
    void this.#settle("control", `${way} ${this.generation}`);
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
    const outcome = await this.#ask(this.question(this.config));
    if (outcome.kind === "answer") this.#accept(outcome.answer, edit);
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
    this.history.record(this.config, edit);
    void this.charts.follow(this.question(this.config), estimate);
    void this.baseline.follow(this.config);
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
    const outcome = await this.#ask(this.question(this.config));
    if (outcome.kind === "unreachable") this.#lost(() => this.retry());
    if (outcome.kind === "refused") this.#refuse(outcome.problems);
    if (outcome.kind !== "answer") return;
    const allowed = outcome.answer.tensor_parallel_options.filter(
      (option) => option.allowed && option.degree <= wanted,
    );
    const degree = Math.max(1, ...allowed.map((option) => option.degree));
    notices.show({ id: "degree", text: words.lowered(degree, problems[0]!.message) });
    if (degree === 1) return this.#accept(outcome.answer, edit);
    this.config = { ...this.config, tensor_parallel: degree };
    return this.#settle("control", edit);
  }
}

function onlyDegree(problems: Problem[]): boolean {
  return problems.every(({ field }) => fieldAt(field) === "tensor_parallel");
}

export const studio = new Studio();
