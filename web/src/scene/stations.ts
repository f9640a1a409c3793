import type { Scene } from "three";
import { Fog } from "three";
import { Bench } from "./figures/bench.ts";
import { cacheShelf } from "./figures/cacheShelf.ts";
import { Contacts } from "./figures/contact.ts";
import { requestDesk } from "./figures/desk.ts";
import { Paths } from "./figures/paths.ts";
import { rack } from "./figures/rack.ts";
import { Researcher } from "./figures/researcher.ts";
import { shell } from "./figures/shell.ts";
import { Towers } from "./figures/tower.ts";
import { whiteboard } from "./figures/whiteboard.ts";
import { Workbench } from "./figures/workbench.ts";
import type { Figure, World } from "./figure.ts";
import { BENCH, RACK, REQUESTS, SHELF, WORKBENCH } from "./layout.ts";

/** Puts everything into the room. */
export function furnish(world: World): Figure[] {
  const figures = [
    shell(world),
    rack(world),
    new Towers(world),
    cacheShelf(world),
    new Workbench(world),
    whiteboard(world),
    new Bench(world),
    requestDesk(world),
    new Paths(world),
    new Researcher(world),
  ];
  world.fixed.build(world.root, world.finish);
  const standing = [BENCH, REQUESTS, WORKBENCH, SHELF, { ...RACK, depth: RACK.length }];
  new Contacts(world, world.root, standing.length).show(standing);
  return figures;
}

/** The air of a theme: the room fades into the page around it. */
export function air(scene: Scene, { palette }: World): void {
  const ground = palette.of("ground");
  scene.background = ground;
  scene.fog = new Fog(ground, 12, 44);
  scene.environmentIntensity = palette.theme === "dark" ? 0.5 : 0.42;
}
