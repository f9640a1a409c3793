import { door } from "../../state/room/door.svelte.ts";
import { motion } from "../../state/room/motion.svelte.ts";
import { bytesPerWeight } from "../../state/room/scene.ts";
import { room } from "../../state/room.svelte.ts";
import { studio } from "../../state/studio.svelte.ts";
import type { Option } from "../../ui/filter.ts";
import { travel } from "../../ui/travel.ts";
import { quantisations, shards } from "../../words/room/deeds.ts";
import { STATIONS } from "../../words/room/stations.ts";

type Entry = Option & { run: () => void };

/** Into the room, and there to something. */
async function enter(act: () => void): Promise<void> {
  studio.go("studio");
  if (!door.open) door.toggle();
  await travel("room");
  await room.entered();
  act();
}

function entry(id: string, name: string, act: () => void, detail = ""): Entry {
  return { id: `room-${id}`, name, detail, also: ["room"], group: "In the room", run: () => void enter(act) };
}

/** Everything that can be done in the research room. */
export function roomEntries(): Entry[] {
  const { estimate } = studio;
  const changes = estimate ? [...quantisations(estimate, bytesPerWeight(estimate)), ...shards(estimate)] : [];
  return [
    ...STATIONS.map(({ id, title }) => entry(`at-${id}`, title, () => room.choose(id), "station")),
    entry("overview", "Overview of the room", () => room.choose(null)),
    entry("run", "Run a request", () => room.run()),
    entry("generate", "Generate tokens", () => room.generate()),
    entry("release", "Release KV memory", () => room.release()),
    ...changes
      .filter(({ current }) => !current)
      .map((change) => entry(`change-${change.label}`, change.title, () => void room.propose(change))),
    entry("mode-training", "Training mode", () => room.setMode("training")),
    entry("mode-inference", "Inference mode", () => room.setMode("inference")),
    entry("tour", "Show me around the room", () => room.show(0)),
    entry("reading", "How to read the room", () => (room.reading = true)),
    ...(motion.calm
      ? []
      : [entry("motion", motion.paused ? "Let the room move" : "Pause motion", () => motion.toggle())]),
  ];
}
