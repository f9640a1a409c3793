import type { Catalogue } from "../api/client.ts";
import { askEstimate, createAsker, fetchCatalogue } from "../api/client.ts";
import type { Accelerator, Estimate, Model, Problem } from "../api/types.ts";
import * as words from "../words/notices.ts";
import { ARRIVAL, createAddress } from "./address.ts";
import { Anatomies } from "./anatomies.svelte.ts";
import type { Page } from "./codec.ts";
import { decode, encode, isLink, knownNames } from "./codec.ts";
import type { Config, Field } from "./config.ts";
import { DEFAULTS, fieldAt, sameConfig, toRequest } from "./config.ts";
import { forms } from "./forms.svelte.ts";
import { notices } from "./notices.svelte.ts";
import type { Kind } from "./own.ts";
import { fitsLink, isOwn, isTag, ownFields, spoken } from "./own.ts";
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

  #known = false;
  #ask = createAsker(askEstimate);
  #probe = createAsker(askEstimate);
  #address = createAddress((hash) => this.#arrive(hash));

  get ready(): boolean {
    return this.status === "ready";
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

  /** Assumptions that say nothing about the model of the answer. */
  get irrelevant(): Field[] {
    return irrelevant(this.estimate?.deployment.model.groups ?? []);
  }

  async start(): Promise<void> {
    try {
      this.catalogue = await fetchCatalogue();
    } catch {
      this.#lost(() => void this.start());
      return;
    }
    this.#known = true;
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

  /** Makes a change once the API has nothing against it; else nothing changes, and what it says comes back. */
  async consider(values: Partial<Config>, edit: string): Promise<Problem[]> {
    // One device always splits, so that only what is new is judged.
    const outcome = await this.#probe(toRequest({ ...this.config, ...values, tensor_parallel: 1 }));
    if (outcome.kind === "unreachable") return [{ field: "body", message: words.unreachable(false) }];
    if (outcome.kind === "refused") {
      const about = outcome.problems.filter(({ field }) => (fieldAt(field) ?? "") in values);
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

  /** Names of what the link names only, because it is too long to be carried. */
  get leftOut(): string[] {
    return [this.config.model, this.config.accelerator].filter((value) => !fitsLink(value)).map(spoken);
  }

  #arrive(hash: string, first = false): void {
    // Before the catalogue is there start() reads the address itself; and some fragments are not ours.
    if (!this.#known || (!isLink(hash) && !first)) return;
    const known = knownNames(this.catalogue, { model: shelf.of("model"), accelerator: shelf.of("accelerator") });
    const { config, page, ignored: all } = decode(hash, known);
    const ignored = this.#missOwn(all);
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
    const outcome = await this.#ask(toRequest(this.config));
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
    notices.dismiss("unreachable");
    notices.dismiss("refused");
    for (const kind of ["model", "accelerator"] as const)
      if (isOwn(this.config[kind])) shelf.keep(kind, this.config[kind]);
    void this.anatomies.follow(this.config.model);
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

  /** Says so where a link names a model or accelerator of someone's own that is not here; the rest comes back. */
  #missOwn(ignored: string[]): string[] {
    const missing = (pair: string) => /^(model|accelerator)=/.test(pair) && isTag(pair.slice(pair.indexOf("=") + 1));
    for (const kind of ["model", "accelerator"] as const) {
      const id = `missing-${kind}`;
      if (!ignored.some((pair) => pair.startsWith(`${kind}=`) && missing(pair))) notices.dismiss(id);
      else
        notices.show({
          id,
          text: words.missingOwn(kind, spoken(DEFAULTS[kind])),
          action: { label: words.GIVE_OWN[kind], run: () => forms.show(kind) },
        });
    }
    return ignored.filter((pair) => !missing(pair));
  }

  /** Puts fields of a link that the API refused back to their defaults; false when there is nothing to put back. */
  #forgive(problems: Problem[], ignored: string[]): boolean {
    const fields = problems.map(({ field }) => fieldAt(field)).filter((field) => field !== null);
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
    const outcome = await this.#ask(toRequest(this.config));
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
