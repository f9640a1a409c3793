import { AmbientLight, BoxGeometry, DirectionalLight, Mesh, MeshStandardMaterial } from "three";
import type { Figure, World } from "./figure.ts";
import { viewBox } from "./layout.ts";
import { STATIONS } from "./state.ts";

/** Puts everything into the room. */
export function furnish(world: World): Figure[] {
  world.scene.add(new AmbientLight(0xffffff, 1), new DirectionalLight(0xffffff, 2));
  return STATIONS.map((station) => {
    const { min, max } = viewBox(station, 1);
    const geometry = new BoxGeometry(max.x - min.x, max.y - min.y, max.z - min.z);
    const material = new MeshStandardMaterial({ color: 0x8899bb });
    const box = new Mesh(geometry, material);
    box.position.set((min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2);
    box.userData["station"] = station;
    world.scene.add(box);
    return {
      targets: [box],
      update: () => undefined,
      step: () => false,
      dispose: () => [geometry, material].forEach((part) => part.dispose()),
    };
  });
}
