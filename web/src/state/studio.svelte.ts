import type { Catalogue } from "../api/client.ts";
import { askEstimate, createAsker, fetchCatalogue } from "../api/client.ts";
import type { Accelerator, Estimate, Model, Problem } from "../api/types.ts";
import type { Page } from "../pages/pages.ts";
import * as words from "../words/notices.ts";
import { ARRIVAL, createAddress } from "./address.ts";
import { Anatomies } from "./anatomies.svelte.ts";
import { Baseline } from "./baseline.svelte.ts";
import { Charts } from "./charts.svelte.ts";
import type { Known } from "./codec.ts";
import { decode, encode, isLink, knownNames } from "./codec.ts";
import { blamed, DEFAULTS, onlyDegree, sameConfig, toRequest } from "./config.ts";
import type { Config, Field, Question } from "./config.ts";
import { extras } from "./extras.svelte.ts";
import { guide } from "./guide.svelte.ts";
import { History } from "./history.svelte.ts";
import { missOwn } from "./missing.ts";
import { notices } from "./notices.svelte.ts";
import type { Kind } from "./own.ts";
import { isOwn, ownFields, spoken } from "./own.ts";
import { irrelevant } from "./relevant.ts";
import { shelf } from "./shelf.svelte.ts";
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

  readonly anatomies = new Anatomies();
  readonly history = new History<Config>(sameConfig);
  readonly charts = new Charts();
  readonly baseline = new Baseline((config) => this.question(config));

  #known = false;
  #ask = createAsker(askEstimate);
  #probe = createAsker(askEstimate);
  #address = createAddress((hash) => this.#arrive(hash));

  get ready(): boolean {
    return this.status === "ready";
  }

  /** Whether the charts show the answer that the tiles show. */
  get drawn(): boolean {
    return this.ready && this.charts.followed === this.estimate;
  }

  /** The chosen accelerator: as the catalogue has it, or what was given of one's own. */
  get accelerator(): Partial<Accelerator> | undefined {
    const { accelerator } = this.config;
    return this.catalogue.accelerators.find(({ id }) => id === accelerator) ?? ownFields(accelerator) ?? undefined;
  }

  /** The chosen model, likewise. */
  get model(): Partial<Model> | undefined {
    const { model } = this.config;
    return this.catalogue.models.find(({ id }) => id === model) ?? ownFields(model) ?? undefined;
  }

  /** The chosen model as the catalogue has it; undefined for one's own. */
  get catalogueModel(): Model | undefined {
    return this.catalogue.models.find(({ id }) => id === this.config.model);
  }

  /** Assumptions that say nothing about the chosen model. */
  get irrelevant(): Field[] {
    return irrelevant(this.catalogueModel, this.estimate?.deployment.model.groups ?? [], this.config);
  }

  async start(): Promise<void> {
    try {
      this.catalogue = await fetchCatalogue();
    } catch {
      this.#lost(() => void this.start());
      return;
    }
    this.#known = true;
    void this.baseline.restore(this.#names()).then(() => this.baseline.follow(this.config));
    this.#arrive(isLink(location.hash) ? location.hash : (recall(CONFIG_KEY) ?? ""), true);
  }

  set<F extends Field>(field: F, value: Config[F]): void {
    this.change({ [field]: value }, field);
  }

  /** Several fields at once, as a suggestion does. `edit` names the step of the history. */
  change(values: Partial<Config>, edit: string): void {
    this.config = this.#with(values);
    void this.#settle("control", edit);
  }

  /** The configuration with other values; another model has KV heads of its own. */
  #with(values: Partial<Config>): Config {
    const own = values.model !== undefined && values.kv_heads === undefined ? { kv_heads: null } : {};
    return { ...this.config, ...values, ...own };
  }

  /** As change, from outside the controls: what is half typed in them gives way. */
  apply(values: Partial<Config>): void {
    this.generation += 1;
    this.change(values, `apply ${this.generation}`);
  }

  /** Makes a change once the API has nothing against it; else nothing changes, and what it says comes back. */
  async consider(values: Partial<Config>, edit: string): Promise<Problem[]> {
    // One device always splits, so that only what is new is judged.
    const wanted = { ...this.#with(values), tensor_parallel: 1 };
    const outcome = await this.#probe(this.question(wanted));
    if (outcome.kind === "unreachable") return [{ field: "body", message: words.unreachable(false) }];
    if (outcome.kind === "refused") {
      const about = outcome.problems.filter(({ field }) => (blamed(field, wanted) ?? "") in values);
      if (about.length) return about;
    }
    if (outcome.kind !== "superseded") this.change(values, edit);
    return [];
  }

  /** Forgets one's own model or accelerator; where it is in use, the example's takes its place. */
  discard(kind: Kind): void {
    const value = this.config[kind];
    shelf.remove(kind, value);
    this.change({ [kind]: DEFAULTS[kind] }, `discard ${kind}`);
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
    this.note(`page ${page}`);
    this.#address.flush();
  }

  /** Writes the address again, for settings that a page keeps of its own. */
  note(edit: string): void {
    this.#address.write(this.hash(), edit);
  }

  /** What the address says of this configuration. */
  hash(page = this.page): string {
    return encode(this.config, page, extras.of(page));
  }

  retry(): void {
    void this.#settle("control", "retry");
  }

  /** Every name a link or a kept baseline may use, the ones of one's own included. */
  #names(): Known {
    return knownNames(this.catalogue, { model: shelf.of("model"), accelerator: shelf.of("accelerator") });
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
    const { config, page, extras: own, ignored: all } = decode(hash, this.#names());
    const ignored = missOwn(all);
    this.page = page;
    extras.arrive({ [page]: {}, ...own });
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
    const question = this.question(this.config);
    void this.charts.follow(question, estimate);
    void this.baseline.follow(this.config);
    notices.dismiss("unreachable");
    notices.dismiss("refused");
    for (const kind of ["model", "accelerator"] as const)
      if (isOwn(this.config[kind])) shelf.keep(kind, this.config[kind]);
    void this.anatomies.follow(question.deployment["model"] as string | object);
    const hash = this.hash();
    remember(CONFIG_KEY, hash);
    this.#address.write(hash, edit);
  }

  #refuse(problems: Problem[]): void {
    const named = problems.map(({ field, message }) => [blamed(field, this.config), message] as const);
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
    const fields = problems.map(({ field }) => blamed(field, this.config)).filter((field) => field !== null);
    const bad = fields.filter((field) => this.config[field] !== DEFAULTS[field]);
    ignored.push(...bad.map((field) => `${field}=${spoken(String(this.config[field]))}`));
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

export const studio = new Studio();
