import { DirectionalLight, HemisphereLight, PMREMGenerator } from "three";
import type { Scene, WebGLRenderer } from "three";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import type { World } from "../figure.ts";

/** A warm key from the front, a cool rim from the window, and the light of a room from all around. */

/** What stands in for the light from all around where that costs too much. */
const FILL = { dark: 3.1, light: 1.3 } as const;
/** As small as roughness allows: the pictures in it are never seen sharp. */
const AMBIENT_SIZE = 64;
const SHADOW_MAP = 1024;

function key(dark: boolean): DirectionalLight {
  const light = new DirectionalLight(dark ? 0xffd3a1 : 0xfff0dc, dark ? 2.5 : 1.95);
  light.position.set(4.2, 8.4, 6.4);
  light.castShadow = true;
  light.shadow.mapSize.set(SHADOW_MAP, SHADOW_MAP);
  light.shadow.bias = -0.0006;
  light.shadow.normalBias = 0.025;
  light.shadow.radius = 5;
  light.shadow.intensity = dark ? 0.85 : 0.62;
  const { camera } = light.shadow;
  [camera.left, camera.right, camera.top, camera.bottom, camera.near, camera.far] = [-7, 7, 5.4, -5.4, 1, 22];
  return light;
}

function rim(dark: boolean): DirectionalLight {
  const light = new DirectionalLight(dark ? 0x7fa4ff : 0xcfe0ff, dark ? 1.5 : 0.7);
  light.position.set(-8, 4.5, -0.5);
  return light;
}

export function lights({ root, palette, plain }: World): DirectionalLight {
  const dark = palette.theme === "dark";
  const warm = key(dark);
  const sky = new HemisphereLight(
    dark ? 0x8ea6e0 : 0xf4f7ff,
    dark ? 0x20242e : 0xb9b2a8,
    (dark ? 0.55 : 0.4) + (plain ? FILL[palette.theme] : 0),
  );
  root.add(warm, warm.target, rim(dark), sky);
  return warm;
}

/** Light from all around, once for both themes; what comes back frees it. */
export function ambient(renderer: WebGLRenderer, scene: Scene): () => void {
  const generator = new PMREMGenerator(renderer);
  const room = new RoomEnvironment();
  const target = generator.fromScene(room, 0.04, 0.1, 100, { size: AMBIENT_SIZE });
  room.dispose();
  generator.dispose();
  scene.environment = target.texture;
  return () => {
    scene.environment = null;
    target.dispose();
  };
}
