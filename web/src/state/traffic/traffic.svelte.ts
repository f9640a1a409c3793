import type { Outcome } from "../../api/client.ts";
import { postForAnswer } from "../../api/stream.ts";
import type { Comparison, Progress, TrafficQuestion } from "../../api/traffic.ts";
import type { Problem } from "../../api/types.ts";
import * as words from "../../words/notices.ts";
import { stopped } from "../../words/traffic/notices.ts";
import type { Config } from "../config.ts";
import { sameConfig } from "../config.ts";
import { extras } from "../extras.svelte.ts";
import { History } from "../history.svelte.ts";
import { notices } from "../notices.svelte.ts";
import { Runner } from "../runner.ts";
import { studio } from "../studio.svelte.ts";
import type { Status } from "../studio.svelte.ts";
import { fromPairs, toPairs } from "./codec.ts";
import { DEFAULTS } from "./presets.ts";
import type { Trace } from "./question.ts";
import { blamed, toQuestion } from "./question.ts";
import type { Field, Settings } from "./settings.ts";
import { sameSettings } from "./settings.ts";
import { view } from "./view.svelte.ts";

/** A run of this many requests says how far it is; shorter ones are done before anybody would read it. */
const TELL_FROM = 5_000;

/** As much of the whole run as a screen can show; closer stretches are asked for as one zooms. */
const DETAIL = { bins: 400, rows: 1_000 };

/** The studio's configuration and this page's settings: what undo goes back to. */
interface Both {
  config: Config;
  settings: Settings;
}

interface Asked {
  both: Both;
  question: TrafficQuestion;
  edit: string;
}

function same(a: Both, b: Both): boolean {
  return sameConfig(a.config, b.config) && sameSettings(a.settings, b.settings);
}

/** The traffic page's store: its settings, and the last comparison of the policies. */
class TrafficStore {
  settings = $state.raw<Settings>(DEFAULTS);
  /** stopped: the visitor ended a run, and the figures are those of the one before. */
  status = $state<Status | "stopped">("pending");
  answer = $state.raw<Comparison | null>(null);
  /** The question that was answered; what is asked about the answer begins with it. */
  question = $state.raw<TrafficQuestion | null>(null);
  problems = $state.raw<Partial<Record<Field, string>>>({});
  /** What the refusal says of no control of this page. */
  refusal = $state.raw<readonly Problem[]>([]);
  progress = $state.raw<Progress | null>(null);
  /** Grows whenever settings come from elsewhere than their control. */
  generation = $state(0);

  readonly history = new History<Both>(same);

  #traces = new Map<string, Trace>();
  #runner = new Runner<Asked, Comparison>(
    (asked, signal) => this.#send(asked, signal),
    (asked, outcome) => this.#settle(asked, outcome),
  );

  get trace(): Trace | null {
    return (this.settings.trace !== null && this.#traces.get(this.settings.trace)) || null;
  }

  set<F extends Field>(field: F, value: Settings[F]): void {
    this.change({ [field]: value }, field);
  }

  change(values: Partial<Settings>, edit: string): void {
    this.settings = { ...this.settings, ...values };
    this.ask(edit);
  }

  /** As change, from outside the controls. */
  apply(values: Partial<Settings>, edit: string): void {
    this.generation += 1;
    this.change(values, `${edit} ${this.generation}`);
  }

  /** A file of requests takes the place of drawn ones. */
  take(trace: Trace): void {
    const tag = `${trace.name} ${this.#traces.size + 1}`;
    this.#traces.set(tag, trace);
    this.apply({ trace: tag }, "trace");
  }

  reset(): void {
    this.apply({ ...DEFAULTS }, "reset");
    view.showAll();
  }

  undo(): void {
    this.#goTo(this.history.undo({ config: studio.config, settings: this.settings }), "undo");
  }

  redo(): void {
    this.#goTo(this.history.redo(), "redo");
  }

  /** Reads what a link says of this page. */
  arrive(): void {
    const { settings, ignored } = fromPairs(extras.of("traffic"), DEFAULTS);
    if (ignored.length) notices.show({ id: "ignored", text: words.ignored(ignored) });
    const kept = { ...settings, trace: this.settings.trace };
    if (this.answer && sameSettings(kept, this.settings)) return;
    this.#runner.stop(); // a late answer would put the address of before over the one that led here
    this.settings = kept;
    this.generation += 1;
    this.ask("arrival");
  }

  ask(edit: string): void {
    if (studio.status === "pending" && !studio.estimate) return;
    this.status = "pending";
    const both = { config: studio.config, settings: this.settings };
    const { deployment } = studio.question(both.config);
    this.#runner.ask({ both, question: toQuestion(both.settings, deployment, this.trace), edit });
  }

  /** Ends the run under way; the figures of the one before stay. */
  stop(): void {
    this.#runner.stop();
    this.progress = null;
    this.status = "stopped";
    notices.show({
      id: "stopped",
      text: stopped(this.answer !== null),
      action: { label: "Run it again", run: () => this.ask("again") },
    });
  }

  /** Nobody looks at the page any more. */
  leave(): void {
    if (this.#runner.busy) this.#runner.stop();
    this.progress = null;
  }

  #send({ question }: Asked, signal: AbortSignal): Promise<Outcome<Comparison>> {
    this.progress = null;
    const tell = question.trace !== undefined || this.settings.requests >= TELL_FROM;
    return postForAnswer("/api/compare", { ...question, ...DETAIL, progress: tell }, signal, (done, of) => {
      if (!signal.aborted) this.progress = { done, of };
    });
  }

  #settle({ both, question, edit }: Asked, outcome: Outcome<Comparison>): void {
    this.progress = null;
    if (outcome.kind === "unreachable") return this.#lost();
    notices.dismiss("unreachable");
    notices.dismiss("stopped");
    if (outcome.kind === "refused" && this.#forgot(outcome.problems)) return this.ask(edit);
    if (outcome.kind === "refused") this.#refuse(outcome.problems);
    if (outcome.kind === "answer") this.#accept(both, question, edit, outcome.answer);
  }

  #accept(both: Both, question: TrafficQuestion, edit: string, answer: Comparison): void {
    this.answer = answer;
    this.question = this.#shortened(both.settings, question, answer.trace_digest);
    this.problems = {};
    this.refusal = [];
    if (!this.#runner.busy) this.status = "ready";
    view.show(answer.end_s, answer.requests);
    this.history.record(both, edit);
    extras.keep("traffic", toPairs(both.settings, DEFAULTS));
    if (studio.page === "traffic") studio.note(edit);
  }

  /** A file is sent once; then the server knows it by a digest. */
  #shortened({ trace }: Settings, question: TrafficQuestion, digest: string | null): TrafficQuestion {
    if (trace === null || digest === null || !question.trace) return question;
    const known = this.#traces.get(trace);
    if (known) this.#traces.set(trace, { ...known, digest });
    const { name, requests_per_s, seed } = question.trace;
    return { ...question, trace: { digest, name, requests_per_s, seed } };
  }

  /** The server keeps files for a while only: then the text is sent again. */
  #forgot(problems: readonly Problem[]): boolean {
    const { trace } = this.settings;
    const known = trace === null ? null : this.#traces.get(trace);
    if (!known?.digest || trace === null || !problems.some(({ field }) => field === "trace.digest")) return false;
    this.#traces.set(trace, { name: known.name, text: known.text });
    return true;
  }

  #refuse(problems: Problem[]): void {
    const named = problems.map((problem) => ({ field: blamed(problem.field), problem }));
    this.problems = Object.fromEntries(
      named.flatMap(({ field, problem }) => (field ? [[field, problem.message]] : [])),
    );
    this.refusal = named.filter(({ field }) => !field).map(({ problem }) => problem);
    this.status = "refused";
  }

  #lost(): void {
    this.status = "unreachable";
    notices.show({
      id: "unreachable",
      text: words.unreachable(this.answer !== null),
      action: { label: "Try again", run: () => this.ask("retry") },
    });
  }

  #goTo(both: Both | null, way: string): void {
    if (!both) return;
    this.settings = both.settings;
    this.generation += 1;
    if (sameConfig(both.config, studio.config)) this.ask(`${way} ${this.generation}`);
    else studio.apply(both.config);
  }
}

export const traffic = new TrafficStore();
