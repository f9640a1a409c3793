import type { Lab, LabAnswer, LabQuestion, Mission, SettingValue, Settings, Setup } from "../api/labs.ts";
import { askRun } from "../api/labs.ts";
import type { Outcome } from "../api/client.ts";
import type { Problem } from "../api/types.ts";
import { parts } from "../ui/parts.svelte.ts";
import { reveal } from "../ui/reveal.svelte.ts";
import { tick } from "svelte";
import * as words from "../words/labs.ts";
import { ignored as ignoredWords, refused, unreachable } from "../words/notices.ts";
import { ARRIVAL } from "./address.ts";
import type { Assignment } from "./assignment.ts";
import { FREE, changed, held, keptChanges, missionOf, opening, sameAssignment } from "./assignment.ts";
import { extras } from "./extras.svelte.ts";
import type { Pairs } from "./extras.svelte.ts";
import { History } from "./history.svelte.ts";
import { PREFIX, readSetup, sameSetup, setupKey, setupPairs } from "./lablink.ts";
import { lablist } from "./lablist.svelte.ts";
import { notices } from "./notices.svelte.ts";
import { Recent } from "./recent.ts";
import { Runner } from "./runner.ts";
import { stars } from "./stars.svelte.ts";
import { studio } from "./studio.svelte.ts";
import { Task } from "./task.svelte.ts";

const PAGE = "labs";
const NOWHERE: Setup = { settings: {}, events: [], seed: 0 };

interface Asked {
  question: LabQuestion;
  setup: Setup;
  /** The control that led here; null where nothing was edited, as on undo. */
  edit: string | null;
}

const send = ({ question }: Asked, signal: AbortSignal) => askRun(question, signal);

/** The lab that is open, and its last answer. */
class Labs {
  lab = $state.raw<Lab | null>(null);
  setup = $state.raw<Setup>(NOWHERE);
  /** The mission under way, and what a link keeps out of sight. */
  readonly task = new Task();
  answer = $state.raw<LabAnswer | null>(null);
  /** The answer to the set-up that this one is compared with, where it was on screen a while ago. */
  earlier = $state.raw<LabAnswer | null>(null);
  /** What everything is compared with; null for whatever came before. */
  pinned = $state.raw<Setup | null>(null);
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
  #runner = new Runner<Asked, LabAnswer>(send, (asked, outcome) => this.#hear(asked, outcome));

  get mission(): Mission | null {
    return this.lab && missionOf(this.lab, this.task.assignment);
  }

  /** Takes what an address says; without a lab in it, the catalogue is shown. */
  arrive(pairs: Pairs): void {
    const id = pairs[PREFIX];
    const lab = lablist.all.find((known) => known.id === id);
    if (!lab) {
      if (id !== undefined) notices.show({ id: "lab-ignored", text: words.unknown(id) });
      return this.#shut();
    }
    const { setup, ignored, ...play } = readSetup(lab, pairs);
    if (ignored.length) notices.show({ id: "lab-ignored", text: ignoredWords(ignored) });
    else notices.dismiss("lab-ignored");
    this.task.handout = play.handout;
    const same = sameAssignment(this.task.assignment, play.assignment) && sameSetup(this.setup, setup);
    if (this.lab !== lab || !same) this.#enter(lab, setup, ARRIVAL, play.assignment);
  }

  /** Opens a lab where it was left; `from` is where to begin instead. */
  open(lab: Lab, from: Setup | null = null): void {
    this.task.handout = false;
    this.#enter(lab, from ?? this.#left.get(lab.id)?.setup ?? lab.defaults, `open ${lab.id}`);
  }

  /** Opens a lab on a mission's set-up, or as a sheet to print. */
  begin(lab: Lab, mission: Mission, handout = false): void {
    const assignment = { mission: mission.id, hidden: [] };
    this.task.handout = handout;
    this.#enter(lab, opening(lab, assignment), `begin ${mission.key}`, assignment);
  }

  /** Back to the catalogue, or to a heading of it. */
  leave(heading: string | null = null): void {
    reveal.heading = heading;
    this.#shut();
    this.#address({}, "lab catalogue");
  }

  /** Goes on in the lab as it is, with nothing asked and nothing hidden. */
  leaveMission(): void {
    this.task.take(FREE);
    this.#ask(null);
  }

  show(handout: boolean): void {
    this.task.handout = handout;
    if (this.lab) this.#address(this.#pairs(), `lab view ${handout}`);
  }

  /** What explains the mission, before it is solved. */
  explain(): void {
    this.task.revealed = true;
    this.#ask(null);
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
    this.#from(changed(this.setup, settings, events));
  }

  /** The set-up that the lab, or the mission, begins with. */
  reset(): void {
    this.pinned = null;
    for (const { id } of notices.list) notices.dismiss(id);
    if (this.lab) this.#from(opening(this.lab, this.task.assignment));
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

  /** Nothing asked before is waited for: a late answer would put the address of before over the one that led here. */
  #enter(lab: Lab, setup: Setup, edit: string, assignment: Assignment = FREE): void {
    this.#runner.stop();
    if (this.lab !== lab || !sameAssignment(this.task.assignment, assignment)) {
      const stays = this.lab === lab ? this.answer : null;
      this.#shut();
      this.lab = lab;
      this.answer = stays;
      this.task.take(assignment);
      const left = assignment.mission ? undefined : this.#left.get(lab.id);
      this.history = left?.history ?? new History<Setup>(sameSetup);
    }
    this.setup = setup;
    this.#previous = null;
    this.generation += 1;
    extras.keep(PAGE, this.#pairs());
    this.#ask(edit);
  }

  #shut(): void {
    if (this.lab && !this.mission) this.#left.set(this.lab.id, { setup: this.setup, history: this.history });
    this.#runner.stop();
    this.task.take(FREE);
    this.lab = null;
    this.setup = NOWHERE;
    this.answer = this.earlier = this.pinned = null;
    this.#calm();
  }

  /** What is kept stays as it is, whatever asks for another. */
  #edit(wanted: Setup, edit: string): void {
    if (!this.lab) return;
    const kept = keptChanges(this.lab, this.task.assignment, wanted);
    if (kept.length) notices.show({ id: "kept", text: words.keptWords(this.lab, kept) });
    else notices.dismiss("kept");
    this.#previous = this.history.origin(edit);
    this.setup = held(this.lab, this.task.assignment, wanted);
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
    if (this.mission) Object.assign(question, { mission: this.mission.id, reveal: this.task.revealed });
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
    this.#recent.put(setupKey(lab, setup), answer);
    this.earlier = before ? this.#recent.get(setupKey(lab, before)) : null;
    this.answer = answer;
    this.problems = {};
    this.failure = null;
    for (const id of ["unreachable", "refused"]) notices.dismiss(id);
    const { mission } = this;
    if (mission && answer.mission?.id === mission.id) stars.earn(mission.key, answer.mission.earned);
    if (edit) this.history.record(setup, edit);
    if (this.lab) this.#address(this.#pairs(setup), edit ?? `lab step ${this.generation}`);
  }

  #pairs(setup: Setup = this.setup): Pairs {
    return this.lab ? setupPairs(this.lab, setup, this.task.play) : {};
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
