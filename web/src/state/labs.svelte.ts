import type { BrokenLab, Lab, LabAnswer, LabQuestion, SettingValue, Settings, Setup } from "../api/labs.ts";
import { askRun, fetchLabs } from "../api/labs.ts";
import type { Outcome } from "../api/client.ts";
import type { Problem } from "../api/types.ts";
import { parts } from "../ui/parts.svelte.ts";
import { tick } from "svelte";
import * as words from "../words/labs.ts";
import { ignored as ignoredWords, refused, unreachable } from "../words/notices.ts";
import { ARRIVAL } from "./address.ts";
import { extras } from "./extras.svelte.ts";
import type { Pairs } from "./extras.svelte.ts";
import { History } from "./history.svelte.ts";
import { PREFIX, readSetup, sameSetup, setupPairs } from "./lablink.ts";
import { notices } from "./notices.svelte.ts";
import { Recent } from "./recent.ts";
import { Runner } from "./runner.ts";
import { studio } from "./studio.svelte.ts";

const PAGE = "labs";
const NOWHERE: Setup = { settings: {}, events: [], seed: 0 };

interface Asked {
  question: LabQuestion;
  setup: Setup;
  /** The control that led here; null where nothing was edited, as on undo. */
  edit: string | null;
}

const send = ({ question }: Asked, signal: AbortSignal) => askRun(question, signal);

const keyOf = (lab: string, { settings, events, seed }: Setup) =>
  JSON.stringify([lab, settings, [...events].sort(), seed]);

/** The labs there are, the one that is open, and its last answer. */
class Labs {
  list = $state.raw<readonly Lab[]>([]);
  broken = $state.raw<readonly BrokenLab[]>([]);
  loaded = $state(false);
  lab = $state.raw<Lab | null>(null);
  setup = $state.raw<Setup>(NOWHERE);
  answer = $state.raw<LabAnswer | null>(null);
  /** The answer to the set-up that this one is compared with, where it was on screen a while ago. */
  earlier = $state.raw<LabAnswer | null>(null);
  /** What everything is compared with; null for whatever came before. */
  pinned = $state.raw<Setup | null>(null);
  /** The mission under way. */
  mission = $state<string | null>(null);
  problems = $state.raw<Readonly<Record<string, string>>>({});
  /** What a lab says that failed on these settings. */
  failure = $state<string | null>(null);
  pending = $state(false);
  /** Grows whenever the set-up comes from elsewhere than its control: half-typed input is then stale. */
  generation = $state(0);
  history = $state.raw(new History<Setup>(sameSetup));

  #previous: Setup | null = null;
  #left = new Map<string, { setup: Setup; history: History<Setup> }>();
  #recent = new Recent<LabAnswer>(12);
  #release: (() => void) | null = null;
  #loading: Promise<void> | null = null;
  #runner = new Runner<Asked, LabAnswer>(send, (asked, outcome) => this.#hear(asked, outcome));

  /** Fetches the catalogue once; the palette asks for it too. */
  load(): Promise<void> {
    this.#loading ??= this.#fetch();
    return this.#loading;
  }

  async #fetch(): Promise<void> {
    const arrived = parts.hold();
    try {
      const { labs, broken } = await fetchLabs();
      this.list = labs;
      this.broken = broken;
      this.loaded = true;
      notices.dismiss("unreachable");
    } catch {
      this.#loading = null;
      this.#lost(() => void this.load());
    }
    await tick();
    arrived();
  }

  /** Takes what an address says; without a lab in it, the catalogue is shown. */
  arrive(pairs: Pairs): void {
    const id = pairs[PREFIX];
    const lab = this.list.find((known) => known.id === id);
    if (!lab) {
      if (id !== undefined) notices.show({ id: "lab-ignored", text: words.unknown(id) });
      return this.#shut();
    }
    const { setup, ignored } = readSetup(lab, pairs);
    if (ignored.length) notices.show({ id: "lab-ignored", text: ignoredWords(ignored) });
    else notices.dismiss("lab-ignored");
    if (this.lab !== lab || !sameSetup(this.setup, setup)) this.#enter(lab, setup, ARRIVAL);
  }

  /** Opens a lab where it was left; `from` is where to begin instead. */
  open(lab: Lab, from: Setup | null = null): void {
    this.#enter(lab, from ?? this.#left.get(lab.id)?.setup ?? lab.defaults, `open ${lab.id}`);
  }

  /** Back to the catalogue. */
  leave(): void {
    this.#shut();
    this.#address({}, "lab catalogue");
  }

  set(id: string, value: SettingValue): void {
    this.#edit({ ...this.setup, settings: { ...this.setup.settings, [id]: value } }, id);
  }

  setSeed(seed: number): void {
    this.#edit({ ...this.setup, seed }, "lab seed");
  }

  toggle(event: string): void {
    const { events } = this.setup;
    const on = events.includes(event);
    this.#edit({ ...this.setup, events: on ? events.filter((id) => id !== event) : [...events, event] }, `on ${event}`);
  }

  /** A change from outside the controls: what is half typed in them gives way. */
  apply(settings: Settings, events: readonly string[] | null = null): void {
    this.#from({
      settings: { ...this.setup.settings, ...settings },
      events: events ?? this.setup.events,
      seed: this.setup.seed,
    });
  }

  begin(mission: Lab["missions"][number]): void {
    if (!this.lab) return;
    this.mission = mission.id;
    const settings = { ...this.lab.defaults.settings, ...mission.settings };
    const setup = { settings, events: mission.events, seed: mission.seed };
    if (sameSetup(setup, this.setup)) this.#ask(null);
    else this.#from(setup);
  }

  endMission(): void {
    this.mission = null;
    this.#ask(null);
  }

  reset(): void {
    this.pinned = null;
    this.mission = null;
    for (const { id } of notices.list) notices.dismiss(id);
    if (this.lab) this.#from(this.lab.defaults);
  }

  undo(): void {
    this.#step(this.history.undo(this.setup));
  }

  redo(): void {
    this.#step(this.history.redo());
  }

  pin(): void {
    this.pinned = this.setup;
    this.#ask(null);
  }

  unpin(): void {
    this.pinned = null;
    this.#ask(null);
  }

  retry(): void {
    this.#ask(null);
  }

  /** A slider is held: its edit goes on however long it rests. */
  hold(held: boolean): void {
    this.history.held = held;
  }

  #enter(lab: Lab, setup: Setup, edit: string): void {
    if (this.lab !== lab) {
      this.#shut();
      this.lab = lab;
      this.history = this.#left.get(lab.id)?.history ?? new History<Setup>(sameSetup);
    }
    this.setup = setup;
    this.#previous = null;
    this.generation += 1;
    extras.keep(PAGE, setupPairs(lab, setup));
    this.#ask(edit);
  }

  #shut(): void {
    if (this.lab) this.#left.set(this.lab.id, { setup: this.setup, history: this.history });
    this.#runner.stop();
    this.lab = null;
    this.setup = NOWHERE;
    this.answer = this.earlier = this.pinned = this.mission = null;
    this.#calm();
  }

  #edit(setup: Setup, edit: string): void {
    this.#previous = this.history.origin(edit);
    this.setup = setup;
    this.#ask(edit);
  }

  #from(setup: Setup): void {
    this.generation += 1;
    this.#edit(setup, `apply ${this.generation}`);
  }

  #step(setup: Setup | null): void {
    if (!setup) return;
    this.#previous = this.setup;
    this.setup = setup;
    this.generation += 1;
    this.#ask(null);
  }

  #ask(edit: string | null): void {
    if (!this.lab) return;
    const before = this.pinned ?? this.#previous;
    this.pending = true;
    this.#release ??= parts.hold();
    const question: LabQuestion = { lab: this.lab.id, ...this.setup };
    if (before && !sameSetup(before, this.setup)) question.before = before;
    if (this.mission) question.mission = this.mission;
    this.#runner.ask({ question, setup: this.setup, edit });
  }

  #hear(asked: Asked, outcome: Outcome<LabAnswer>): void {
    if (outcome.kind === "answer") this.#accept(asked, outcome.answer);
    if (outcome.kind === "refused") this.#refuse(outcome.problems);
    if (outcome.kind === "unreachable") this.#lost(() => this.retry());
    if (!this.#runner.busy) this.#calm();
  }

  #accept({ question, setup, edit }: Asked, answer: LabAnswer): void {
    const { lab, before } = question;
    this.#recent.put(keyOf(lab, setup), answer);
    this.earlier = before ? this.#recent.get(keyOf(lab, before)) : null;
    this.answer = answer;
    this.problems = {};
    this.failure = null;
    for (const id of ["unreachable", "refused"]) notices.dismiss(id);
    if (edit) this.history.record(setup, edit);
    if (this.lab) this.#address(setupPairs(this.lab, setup), edit ?? `lab step ${this.generation}`);
  }

  #refuse(problems: readonly Problem[]): void {
    const named = problems.map(({ field, message }) => [words.controlAt(field), message] as const);
    this.problems = Object.fromEntries(named.filter(([id]) => this.#has(id)));
    this.failure = problems.find(({ field }) => field === "lab")?.message ?? null;
    const rest = problems.filter(({ field }) => field !== "lab" && !this.#has(words.controlAt(field)));
    if (rest.length) notices.show({ id: "refused", text: refused(rest.map(({ message }) => message)) });
    else notices.dismiss("refused");
  }

  #has(id: string): boolean {
    return id === words.SEED_FIELD || (this.lab?.controls.some((control) => control.id === id) ?? false);
  }

  #lost(run: () => void): void {
    notices.show({
      id: "unreachable",
      text: unreachable(this.answer !== null),
      action: { label: words.TRY_AGAIN, run },
    });
  }

  #address(pairs: Pairs, edit: string): void {
    extras.keep(PAGE, pairs);
    studio.note(edit);
  }

  /** Nothing is on its way any more; what came is drawn first. */
  #calm(): void {
    this.pending = false;
    const release = this.#release;
    this.#release = null;
    if (release) void tick().then(release);
  }
}

export const labs = new Labs();
