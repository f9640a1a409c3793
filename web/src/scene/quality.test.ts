import { expect, it } from "vitest";
import { Glide } from "./glide.ts";
import { LEVELS, Quality } from "./quality.ts";

function after(frames: number, ms: number): Quality {
  const quality = new Quality();
  for (let i = 0; i < frames; i += 1) quality.note(ms);
  return quality;
}

it("keeps everything on a machine that is quick enough, whatever a single frame takes", () => {
  const quality = after(200, 33);
  quality.note(100);
  for (let i = 0; i < 9; i += 1) quality.note(30);
  expect(quality.level).toEqual(LEVELS[0]);
});

it("gives up shadows, then sharpness, and motion last and only where it is hopeless", () => {
  expect(after(10, 60).level).toMatchObject({ shadows: false, ratio: 1, motion: true });
  expect(after(10, 90).level).toMatchObject({ shadows: false, ratio: 0.75, motion: true });
  expect(after(20, 60).level).toMatchObject({ ratio: 0.75, motion: true });
  expect(after(500, 60).level).toMatchObject({ ratio: 0.5, motion: true });
  expect(after(500, 200).level).toMatchObject({ ratio: 0.5, motion: false });
});

it("glides to its goals in the time given, and is there at once where nothing may move", () => {
  const glide = new Glide(100);
  glide.aim([1, 0]);
  expect(glide.values).toEqual([1, 0]);
  glide.aim([0, 1, 1]);
  expect(glide.step(50)).toBe(true);
  expect(glide.values).toEqual([0.5, 0.5, 0.5]);
  expect(glide.step(50)).toBe(false);
  expect(glide.values).toEqual([0, 1, 1]);
  glide.aim([1]);
  expect(glide.step(0, true)).toBe(false);
  expect(glide.values).toEqual([1, 0, 0]);
});
