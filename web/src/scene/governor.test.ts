import { describe, expect, it } from "vitest";
import { Governor } from "./governor.ts";
import type { Clock, Phase } from "./governor.ts";

/** A screen of 60 Hz whose time passes only when told to. */
class FakeScreen implements Clock {
  #now = 0;
  #frames = new Set<() => void>();
  #timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  frame(run: () => void): () => void {
    this.#frames.add(run);
    return () => this.#frames.delete(run);
  }

  later(run: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get waiting(): number {
    return this.#frames.size + this.#timers.size;
  }

  pass(ms: number, onTick?: () => void): void {
    const end = this.#now + ms;
    for (let tick = 1; this.#now < end - 1e-6; tick += 1) {
      this.#now += 1;
      for (const timer of [...this.#timers].filter(({ at }) => at <= this.#now)) {
        this.#timers.delete(timer);
        timer.run();
      }
      if (tick % 16 === 0) {
        const due = [...this.#frames];
        this.#frames.clear();
        for (const run of due) run();
      }
      onTick?.();
    }
  }
}

function made(moving = false) {
  const screen = new FakeScreen();
  const drawn: number[] = [];
  const phases: Phase[] = [];
  const room = { moving };
  const governor = new Governor(
    {
      draw: (elapsed) => {
        drawn.push(elapsed);
        return room.moving;
      },
      onPhase: (phase) => phases.push(phase),
    },
    screen,
  );
  return { screen, drawn, phases, room, governor };
}

describe("the governor", () => {
  it("draws one frame for a change, and none after it", () => {
    const { screen, governor, phases } = made();
    screen.pass(500);
    expect(governor.frames).toBe(0);
    governor.invalidate();
    governor.invalidate();
    screen.pass(1000);
    expect(governor.frames).toBe(1);
    expect(phases).toEqual(["drawing", "drawn"]);
    expect(screen.waiting).toBe(0);
  });

  it("draws at least 25 and at most 33 frames in a calm second of motion", () => {
    const { screen, governor } = made(true);
    governor.invalidate();
    screen.pass(1000);
    expect(governor.frames).toBeGreaterThanOrEqual(25);
    expect(governor.frames).toBeLessThanOrEqual(34);
  });

  it("draws at most 5 a second while an answer is awaited, and goes on at once when it is there", () => {
    const { screen, governor } = made(true);
    governor.asking(true);
    governor.invalidate();
    screen.pass(2000);
    expect(governor.frames).toBeGreaterThanOrEqual(8);
    expect(governor.frames).toBeLessThanOrEqual(10);
    const before = governor.frames;
    governor.asking(false);
    screen.pass(1000);
    expect(governor.frames - before).toBeGreaterThanOrEqual(25);
  });

  it("draws at most 5 a second while a control moves, however often, but never stops", () => {
    const { screen, governor } = made(true);
    governor.invalidate();
    screen.pass(100);
    const before = governor.frames;
    screen.pass(2000, () => governor.touched());
    expect(governor.frames - before).toBeGreaterThanOrEqual(8);
    expect(governor.frames - before).toBeLessThanOrEqual(10);
    screen.pass(500);
    const rested = governor.frames;
    screen.pass(1000);
    expect(governor.frames - rested).toBeGreaterThanOrEqual(25);
  });

  it("draws nothing hidden or scrolled away, and what is due when it is seen again", () => {
    const { screen, governor } = made();
    for (const [hide, show] of [
      [{ shown: false }, { shown: true }],
      [{ near: false }, { near: true }],
    ]) {
      const before = governor.frames;
      governor.seen(hide!);
      governor.invalidate();
      screen.pass(1000);
      expect(governor.frames).toBe(before);
      expect(governor.phase).toBe("paused");
      expect(screen.waiting).toBe(0);
      governor.seen(show!);
      screen.pass(1000);
      expect(governor.frames).toBe(before + 1);
      expect(governor.phase).toBe("drawn");
    }
  });

  it("stops in the middle of a motion that nobody sees, and goes on from there", () => {
    const { screen, governor, drawn } = made(true);
    governor.invalidate();
    screen.pass(200);
    governor.seen({ near: false });
    const before = governor.frames;
    screen.pass(5000);
    expect(governor.frames).toBe(before);
    governor.seen({ near: true });
    screen.pass(200);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(250);
  });

  it("lets a motion begin at its beginning, however long nothing moved", () => {
    const { screen, governor, drawn, room } = made();
    governor.invalidate();
    screen.pass(3000);
    room.moving = true;
    governor.invalidate();
    screen.pass(100);
    expect(drawn.slice(0, 2)).toEqual([0, 0]);
    expect(drawn[2]).toBeGreaterThan(0);
  });

  it("draws no more once disposed of", () => {
    const { screen, governor } = made(true);
    governor.invalidate();
    screen.pass(100);
    const before = governor.frames;
    governor.dispose();
    screen.pass(1000);
    expect(governor.frames).toBe(before);
    expect(screen.waiting).toBe(0);
  });
});
