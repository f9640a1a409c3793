/** How to read the room: what is to scale, what is slowed down, what is a symbol. */

export const FLOW_LEGEND = "traffic: three dots more, ten times the bytes";
export const LIT = "lit: what limits";

export const READING: readonly { title: string; points: readonly string[] }[] = [
  {
    title: "To scale",
    points: [
      "The blocks in a tower: weights, KV cache, workspace, reserve and free memory, in proportion to the memory of the device. What does not fit stands above its end.",
      "The number of towers: one for each device, up to eight. With more, eight are drawn.",
      "The rack of weights: its height follows the bytes of a weight, not their number. Half the bits are half the drawers.",
      "The trays on the shelf: the blocks of 16 tokens that one request has in the cache, magnified. More than a few are drawn as one block for several.",
      "The whiteboard: work per byte and rate of both phases and their stages, under the same simplified roof as in “Work per byte”.",
    ],
  },
  {
    title: "Slowed down",
    points: [
      "A run shows the prefill and at most eight of the decode steps, about a second each. The real times stand beside them.",
      "Training shows a stage in under a second, whatever it would take.",
    ],
  },
  {
    title: "A symbol",
    points: [
      "Dots on the paths: how much a pass moves, as the logarithm of the bytes. Their speed means nothing.",
      "Distances, colours of the floor, the window, and the researcher, who goes where you look.",
      "Eight requests on the shelf stand for the whole batch, and they are parts of the towers’ memory, not machines of their own.",
      "Activations on the shelf in training mode: that there are some to keep, not how many.",
    ],
  },
  {
    title: "Where the numbers come from",
    points: [
      "Each is an answer of the model behind this page to the settings beside it; the picture computes none. Release and generate illustrate the batch as configured, quantise and shard change the configuration, and undo takes that back.",
      "The estimate keeps the whole prompt and output in the cache from the start; a run shows how much of it is in use.",
      "Everything can be done with the buttons beside the picture, and everything that happens is also written.",
    ],
  },
];

export interface TourStep {
  station: "weights" | "compute" | "memory" | "interconnect" | "training" | null;
  mode: "inference" | "training";
  title: string;
  text: string;
}

/** At most seven steps. */
export const TOUR: readonly TourStep[] = [
  {
    station: null,
    mode: "inference",
    title: "A room for one configuration",
    text: "What stands here is what you set on this page. Change anything, there or here, and the room and the figures below change together.",
  },
  {
    station: "weights",
    mode: "inference",
    title: "The rack of weights",
    text: "Every pass reads all of it. With fewer bits a weight the rack is lower, and there is less to carry.",
  },
  {
    station: "compute",
    mode: "inference",
    title: "The dies that multiply",
    text: "A prompt brings them plenty of work for each byte, a single new token hardly any. The whiteboard shows both.",
  },
  {
    station: "memory",
    mode: "inference",
    title: "Memory, and the cache in it",
    text: "The blocks of a tower are true to scale. On the shelf the cache is magnified: it grows by a block for every 16 tokens of a request.",
  },
  {
    station: "interconnect",
    mode: "inference",
    title: "The bridge between devices",
    text: "With two devices or more, the shares of every layer are put together twice over this bridge.",
  },
  {
    station: null,
    mode: "inference",
    title: "Try a change",
    text: "Run a request, generate tokens, quantise the weights, add a device. Say first what it will do, then look.",
  },
  {
    station: "training",
    mode: "training",
    title: "The training bench",
    text: "One weight learns in five stages, over and over. Beside it stands what training the chosen model would keep in memory.",
  },
];
