import { askEstimate, createAsker } from "../api/client.ts";
import { askWalk } from "../api/room.ts";
import type { Estimate } from "../api/types.ts";
import type { Action, ActionKind, RoomState, StationId } from "../scene/state.ts";
import { focusOn } from "../ui/travel.ts";
import * as notice from "../words/notices.ts";
import * as deeds from "../words/room/deeds.ts";
import type { Change, Done } from "../words/room/deeds.ts";
import { TOUR } from "../words/room/reading.ts";
import { arrived } from "../words/room/stations.ts";
import { STAGE_SAID } from "../words/room/training.ts";
import { ARRIVAL } from "./address.ts";
import type { Config } from "./config.ts";
import { sameConfig } from "./config.ts";
import { extras } from "./extras.svelte.ts";
import { notices } from "./notices.svelte.ts";
import { fromPairs, toPairs } from "./room/link.ts";
import { motion } from "./room/motion.svelte.ts";
import type { Mode } from "./room/scene.ts";
import { sceneOf } from "./room/scene.ts";
import { Trainer } from "./room/trainer.svelte.ts";
import { Walker } from "./room/walker.svelte.ts";
import { studio } from "./studio.svelte.ts";
import { theme } from "./theme.svelte.ts";

export type Panel = "explore" | "change";

/** A change that is on offer, with the answers on both sides. */
export interface Proposal {
  change: Change;
  before: { config: Config; estimate: Estimate };
  after: { config: Config; estimate: Estimate };
}

/** What goes on in the room: who stands where, which batch is on its way, what was changed last. */
class Room {
  mode = $state<Mode>("inference");
  station = $state<StationId | null>(null);
  panel = $state<Panel | null>(null);
  /** The answer that the room shows, with the passes that belong to it. */
  estimate = $state.raw<Estimate | null>(null);
  said = $state("");
  proposal = $state.raw<Proposal | null>(null);
  /** What was done last, and the configuration it led to. */
  done = $state.raw<(Done & { config: Config }) | null>(null);
  reading = $state(false);
  /** The step of the tour, from 0; null where nobody is shown around. */
  tour = $state<number | null>(null);

  readonly walker = new Walker();
  readonly trainer = new Trainer();

  #kind = $state<ActionKind>("request");
  /** Whether what is on offer was done. */
  #made = false;
  #waiting: (() => void)[] = [];
  #askWalk = createAsker(askWalk);
  #askAfter = createAsker(askEstimate);

  /** Whether what is shown is the answer to the current settings. */
  get settled(): boolean {
    return studio.status !== "pending" && this.estimate === studio.estimate;
  }

  /** Fulfilled once an answer is shown, for whoever comes in and acts at once. */
  entered(): Promise<void> {
    return this.estimate ? Promise.resolve() : new Promise((go) => this.#waiting.push(go));
  }

  get scene(): RoomState | null {
    const { estimate, walker, trainer, mode, station } = this;
    if (!estimate) return null;
    return sceneOf({
      theme: theme.mode,
      mode,
      station,
      estimate,
      walk: walker.walk,
      at: walker.at,
      released: walker.released,
      training: trainer.answer,
      trained: trainer.done,
      action: this.#action,
    });
  }

  /** What is under way, as long as it is played. */
  get #action(): Action | null {
    const { walker } = this;
    return walker.playing ? { kind: this.#kind, step: walker.at ?? 0, of: Math.max(walker.last, 0) } : null;
  }

  /** Goes to a station; the overview is none. */
  choose(station: StationId | null): void {
    this.station = station;
    if (station) this.panel ??= "explore";
    if (station && this.estimate) this.say(arrived(station, this.estimate, this.trainer.answer));
    if (!station) this.say(deeds.OVERVIEW);
    this.#note();
  }

  /** Opens a panel beside the picture, or closes the one that is open. */
  toggle(panel: Panel): void {
    this.panel = this.panel === panel ? null : panel;
    if (this.panel === "change" && this.mode === "training") this.setMode("inference");
  }

  /** A step of the tour, and what it is about; null ends it. */
  show(step: number | null): void {
    const next = step === null ? null : (TOUR[step] ?? null);
    this.tour = next && step;
    if (!next) return this.leaveTour();
    if (next.mode !== this.mode) this.setMode(next.mode);
    this.choose(next.station);
    if (!next.station) this.panel = "change";
  }

  leaveTour(): void {
    this.tour = null;
    motion.seen();
    focusOn("room-tour");
  }

  setMode(mode: Mode): void {
    this.mode = mode;
    this.walker.stop();
    this.trainer.stop();
    if (mode === "training" && this.panel === "change") this.panel = null;
    this.say(deeds.MODES[mode]);
    this.#note();
  }

  say(words: string): void {
    // The same words once more are heard only where they differ.
    this.said = words === this.said ? `${words}\u00a0` : words;
  }

  /** Shows another answer, once its passes and its training are there. */
  async follow(estimate: Estimate, config: Config): Promise<void> {
    const question = studio.question(config);
    const { model, accelerator } = question.deployment;
    const [walk] = await Promise.all([this.#askWalk(question), this.trainer.ask(model, accelerator)]);
    if (walk.kind === "superseded") return;
    this.walker.take(walk.kind === "answer" ? walk.answer : null);
    this.estimate = estimate;
    this.#forget(config);
    for (const go of this.#waiting.splice(0)) go();
  }

  /** What is on offer or was done belongs to a configuration; of another one nothing is said. */
  #forget(config: Config): void {
    const offered = this.proposal?.[this.#made ? "after" : "before"].config;
    if (offered && !sameConfig(offered, config)) this.proposal = null;
    if (this.done && !sameConfig(this.done.config, config)) this.done = null;
  }

  run(): void {
    this.#act("request", () => this.walker.run(), deeds.ran);
  }

  generate(): void {
    this.#act("generate", () => this.walker.generate(), deeds.generated);
  }

  release(): void {
    this.#act("release", () => this.walker.release(), deeds.released);
  }

  /** Something that runs on the configuration as it is and changes none of it. */
  #act(kind: ActionKind, act: () => void, tell: typeof deeds.ran): void {
    const { estimate, walker } = this;
    if (!estimate || !walker.walk) return this.say(deeds.UNTOLD);
    this.panel = "change";
    this.proposal = null;
    const before = { pass: walker.pass, released: walker.released };
    act();
    this.#kind = kind;
    this.done = { ...tell(estimate, walker.walk, before, walker.pass), config: studio.config };
    this.say(this.done.sentence);
  }

  /** Offers a change for a guess; where there is nothing to guess, it is made at once. */
  async propose(change: Change): Promise<void> {
    const { estimate } = studio;
    if (!estimate) return;
    this.panel = "change";
    if (change.current) return this.say(deeds.already(change));
    const before = { config: studio.config, estimate };
    const config = { ...studio.config, ...change.values };
    const outcome = await this.#askAfter(studio.question(config));
    if (outcome.kind === "superseded" || !sameConfig(before.config, studio.config)) return;
    if (outcome.kind !== "answer")
      return this.say(outcome.kind === "refused" ? (outcome.problems[0]?.message ?? "") : notice.unreachable(true));
    this.walker.stop();
    this.done = null;
    this.#made = false;
    this.proposal = { change, before, after: { config, estimate: outcome.answer } };
    if (deeds.guessed(this.proposal.before.estimate, outcome.answer)) this.say(deeds.asked(change));
    else this.makeAtOnce();
  }

  /** Makes the change that is on offer. */
  make(): void {
    const { proposal } = this;
    if (!proposal) return;
    const { change, before, after } = proposal;
    this.done = { ...deeds.changed(change, before.estimate, after.estimate), config: after.config };
    this.#made = true;
    if (!sameConfig(studio.config, after.config)) studio.apply(change.values);
    this.say(this.done.sentence);
  }

  /** There is nothing to guess. */
  makeAtOnce(): void {
    this.make();
    this.proposal = null;
  }

  makeUnguessed(): void {
    this.make();
    this.decline();
  }

  decline(): void {
    this.proposal = null;
    focusOn("room-change");
  }

  /** Undoes the change that was made last. */
  takeBack(): void {
    studio.undo();
    focusOn("room-change");
  }

  /** Another start for the weight; training begins anew. */
  async startFrom(weight: number): Promise<void> {
    this.trainer.weight = weight;
    this.trainer.restart();
    const { model, accelerator } = studio.question(studio.config).deployment;
    await this.trainer.ask(model, accelerator);
    this.#note();
  }

  /** Says where training stands now. */
  tell(): void {
    const { answer, place } = this.trainer;
    const step = answer?.steps[place.round];
    if (step) this.say(STAGE_SAID[place.stage](step, place.round));
  }

  /** Reads what a link says of the room. */
  arrive(): void {
    const { place, ignored } = fromPairs(extras.of("studio"));
    if (ignored.length) notices.show({ id: "ignored", text: notice.ignored(ignored) });
    this.mode = place.mode;
    this.station = place.station;
    if (place.station) this.panel ??= "explore";
    if (place.weight !== this.trainer.weight) void this.startFrom(place.weight);
  }

  /** Where one stands in the room is part of the link, and no step of its history. */
  #note(): void {
    const { mode, station, trainer } = this;
    extras.keep("studio", toPairs({ mode, station, weight: trainer.weight }));
    if (studio.page === "studio") studio.note(ARRIVAL);
  }
}

export const room = new Room();
