/** Geometry of the plot of training: probability and loss against the round, on one scale from 0. */
import { scaleLinear } from "d3-scale";
import type { TrainingStep } from "../api/room.ts";
import type { Frame } from "./sweep.ts";

export interface Curve {
  path: string;
  points: { x: number; y: number }[];
}

export interface Curves {
  probability: Curve;
  loss: Curve;
  ticks: { at: number; label: string }[];
}

function curve(values: readonly number[], x: (round: number) => number, y: (value: number) => number): Curve {
  const points = values.map((value, round) => ({ x: x(round), y: y(value) }));
  const path = points.map((point, i) => `${i ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("");
  return { path, points };
}

/** As much of the curves as the stages so far have shown; the scale holds all of them from the start. */
export function trainingCurves(
  steps: readonly TrainingStep[],
  { seen, lost }: { seen: number; lost: number },
  frame: Frame,
): Curves {
  const high = Math.max(1, ...steps.map(({ loss }) => loss));
  const x = scaleLinear()
    .domain([0, Math.max(1, steps.length - 1)])
    .range([frame.left + 6, frame.width - frame.right - 6]);
  const y = scaleLinear()
    .domain([0, high])
    .nice(4)
    .range([frame.height - frame.bottom, frame.top]);
  return {
    probability: curve(
      steps.slice(0, seen).map(({ probability }) => probability),
      x,
      y,
    ),
    loss: curve(
      steps.slice(0, lost).map(({ loss }) => loss),
      x,
      y,
    ),
    ticks: y.ticks(4).map((value) => ({ at: y(value), label: String(value) })),
  };
}
