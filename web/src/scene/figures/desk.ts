import type { Figure, World } from "../figure.ts";
import { block, Crowd, fuse, place } from "../kit.ts";
import type { Pose } from "../kit.ts";
import { cardCount, DESK, REQUESTS } from "../layout.ts";
import type { RoomState } from "../state.ts";
import { stool, table } from "./furniture.ts";

/** The request desk: a card for each sequence of the batch, queued on a rail. */

const PITCH = 0.086;

function card(i: number, taken: boolean): Pick<Pose, "at" | "turn"> {
  const x = REQUESTS.x + (i - (DESK.most - 1) / 2) * PITCH;
  // The card that is being worked on is drawn out of the queue.
  return { at: [x, REQUESTS.height + 0.19 + (taken ? 0.16 : 0), REQUESTS.z - 0.04], turn: [0, 0.95, 0] };
}

function poses({ batch, action }: RoomState, { palette }: World): Pose[] {
  const running = action?.kind === "request" || action?.kind === "generate";
  return Array.from({ length: cardCount(batch) }, (_, i) => ({
    ...card(i, running && i === 0),
    colour: palette.of(running && i === 0 ? "accent" : "paper"),
  }));
}

export function requestDesk(world: World): Figure {
  const { root, fixed, finish, palette } = world;
  const { x, z, width, height } = REQUESTS;
  fixed.add("matte", ...table(REQUESTS, palette), ...stool(x - 0.2, z + 0.62, palette));
  fixed.add(
    "satin",
    place(block([width - 0.22, 0.035, 0.26], 0.015), {
      at: [x, height + 0.02, z - 0.04],
      colour: palette.of("shellLight"),
    }),
    ...[-1, 1].map((side) =>
      place(block([0.04, 0.24, 0.26], 0.018), {
        at: [x + side * (width / 2 - 0.11), height + 0.12, z - 0.04],
        colour: palette.of("shellLight"),
      }),
    ),
  );
  const white = palette.of("surface").setRGB(1, 1, 1);
  const shape = fuse([
    place(block([0.26, 0.3, 0.022], 0.01), { at: [0, 0, 0], colour: white }),
    place(block([0.2, 0.045, 0.026], 0.01), { at: [0, 0.09, 0], colour: palette.of("queue") }),
  ]);
  const cards = new Crowd(shape, finish.matte, DESK.most);
  cards.mesh.castShadow = cards.mesh.receiveShadow = true;
  root.add(cards.mesh);
  return {
    update(state) {
      cards.show(poses(state, world));
      world.shadowsDue = true;
    },
  };
}
