/** Training of one weight, told stage by stage. The arithmetic is the API's. */
import type { TrainingMemory, TrainingStep } from "../../api/room.ts";
import type { Stage } from "../../state/room/rounds.ts";
import { bytes, count, plural, text } from "../../ui/format.ts";

export const STAGE_NAMES: Record<Stage, string> = {
  examples: "Examples",
  forward: "Forward pass",
  loss: "Loss",
  backward: "Backward pass",
  update: "Optimiser update",
};

/** As probabilities and gradients are spoken of: 0.562, −0.438. */
export function three(value: number): string {
  return value.toFixed(3).replace("-", "−");
}

type Tell = (step: TrainingStep, round: number) => string;

const begin = (round: number) => `Round ${count(round + 1)}.`;

export const STAGE_SAID: Record<Stage, Tell> = {
  examples: ({ weight }, round) =>
    `${begin(round)} The example is shown, its answer is “blue”, and the weight is ${three(weight)}.`,
  forward: ({ probability }, round) =>
    `${begin(round)} Forward pass: the classifier gives “blue” a probability of ${three(probability)}.`,
  loss: ({ probability, loss }, round) =>
    `${begin(round)} Loss: minus the logarithm of ${three(probability)} is ${three(loss)}.`,
  backward: ({ gradient }, round) =>
    `${begin(round)} Backward pass: the gradient, probability minus one, is ${three(gradient)}.`,
  update: ({ weight, next_weight }, round) =>
    `${begin(round)} Update: half of the gradient is subtracted, and the weight goes from ${three(weight)} to ${three(next_weight)}.`,
};

/** What each stage is for, whatever the numbers. */
export const STAGE_MEANS: Record<Stage, string> = {
  examples: "What to learn from: here one picture, and the answer that is right for it.",
  forward: "The model answers. What it computed on the way, its activations, is kept for the way back.",
  loss: "How wrong the answer was, as one number.",
  backward: "Which way, and how steeply, the loss changes with the weight.",
  update: "The weight moves a little the other way, so that the next answer is less wrong.",
};

/** What this mode is not. */
export const LIMITS_OF_THE_TOY: readonly string[] = [
  "No language model runs here: one weight is trained, and its figures are computed, not measured.",
  "It says nothing of the quality of any model.",
  "The classifier is a toy and has no relation to the size of the model chosen; only the memory below is about that model.",
  "Formats for inference play no part in training mode, and the planner of this page stays one for inference.",
];

export const BYTES_NOTE =
  "Counted before activations and the overhead of the runtime. It is what mixed precision with Adam keeps; other optimisers and methods keep other amounts.";

export const PART_NOTES: Record<string, string> = {
  "model copy": "bf16, for the passes",
  "master weights": "fp32, what the optimiser moves",
  gradients: "fp32, from the backward pass",
  "Adam states": "fp32, two running means",
};

/** "8.03 billion parameters × 18 bytes: 145 GB, more than the 80.0 GB of one device. It takes 2 or more." */
export function memoryVerdict(memory: TrainingMemory, device: string): string {
  const { bytes_per_parameter, total_bytes, capacity_bytes, fits, devices } = memory;
  const total = `${bytes_per_parameter} bytes a parameter make ${text(bytes(total_bytes))}`;
  if (fits) return `${total}: within the ${text(bytes(capacity_bytes))} of one ${device}, before activations.`;
  return `${total}: more than the ${text(bytes(capacity_bytes))} of one ${device}. Spread evenly, ${plural(devices, "device")} would hold it, before activations.`;
}
