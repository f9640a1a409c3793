import { AdditiveBlending, BufferAttribute, Color, Mesh, MeshBasicMaterial, PlaneGeometry } from "three";
import type { BufferGeometry } from "three";
import type { Figure, World } from "../figure.ts";
import { block, place, tube } from "../kit.ts";
import { ROOM } from "../layout.ts";
import type { Palette } from "../palette.ts";

/** Floor, two walls, the window, and what makes it a room: slats, skirting, a rug, a plant. */

const WIDTH = ROOM.right - ROOM.left;
const DEPTH = ROOM.front - ROOM.back;
const WALL = 0.16;
const WINDOW = { z: 1.25, y: 1.85, width: 2.9, height: 1.9 } as const;

/** Darker towards the floor, as where less light comes. */
function shaded(shape: BufferGeometry, colour: Color, low: number, reach: number): BufferGeometry {
  const at = shape.getAttribute("position");
  const colours = new Float32Array(3 * at.count);
  for (let i = 0; i < at.count; i += 1) {
    const share = Math.min(1, Math.max(0, at.getY(i) / reach));
    const { r, g, b } = colour.clone().multiplyScalar(low + (1 - low) * share);
    colours.set([r, g, b], 3 * i);
  }
  shape.setAttribute("color", new BufferAttribute(colours, 3));
  return shape;
}

/** Seams of large tiles. */
function seams({ of }: Palette): BufferGeometry[] {
  const colour = of("seam");
  const [columns, rows] = [8, 5];
  const across = Array.from({ length: columns - 1 }, (_, i) =>
    place(block([0.028, 0.01, DEPTH], 0.004), { at: [ROOM.left + ((i + 1) * WIDTH) / columns, 0, 0], colour }),
  );
  const along = Array.from({ length: rows - 1 }, (_, i) =>
    place(block([WIDTH, 0.01, 0.028], 0.004), { at: [0, 0, ROOM.back + ((i + 1) * DEPTH) / rows], colour }),
  );
  return [...across, ...along];
}

function floor(palette: Palette): BufferGeometry[] {
  const { of } = palette;
  const slab = place(block([WIDTH + 0.3, 0.24, DEPTH + 0.3], 0.1, 2), { at: [0, -0.122, 0], colour: of("floor") });
  const rug = place(block([4.1, 0.03, 2.3], 0.014), { at: [-0.3, 0.012, 0.95], colour: of("rug") });
  const border = place(block([4.3, 0.02, 2.5], 0.01), { at: [-0.3, 0.008, 0.95], colour: of("slat") });
  return [slab, border, rug, ...seams(palette)];
}

/** A wall with a hole is four pieces around it. */
function leftWall({ of }: Palette): BufferGeometry[] {
  const { z, y, width, height } = WINDOW;
  const x = ROOM.left - WALL / 2;
  const [front, back] = [z + width / 2, z - width / 2];
  const piece = (from: number, to: number, low: number, high: number) => {
    const shape = block([WALL, high - low, to - from], 0.02);
    shape.translate(x, (low + high) / 2, (from + to) / 2);
    return shaded(shape, of("wall"), 0.72, 1.6);
  };
  return [
    piece(ROOM.back - WALL, back, 0, ROOM.height),
    piece(front, ROOM.front, 0, ROOM.height),
    piece(back, front, 0, y - height / 2),
    piece(back, front, y + height / 2, ROOM.height),
  ];
}

function backWall({ of }: Palette): BufferGeometry[] {
  const wall = block([WIDTH + WALL, ROOM.height, WALL], 0.02);
  wall.translate(0, ROOM.height / 2, ROOM.back - WALL / 2);
  const slats: BufferGeometry[] = [];
  for (let x = -1.15; x <= 3.2; x += 0.145) {
    const slat = block([0.075, ROOM.height - 0.5, 0.05], 0.02);
    slat.translate(x, ROOM.height / 2 - 0.05, ROOM.back + 0.03);
    slats.push(shaded(slat, of("slat"), 0.5, 2.2));
  }
  return [shaded(wall, of("wall"), 0.72, 1.6), ...slats];
}

function skirting({ of }: Palette): BufferGeometry[] {
  const colour = of("frame");
  return [
    place(block([WIDTH, 0.12, 0.05], 0.02), { at: [0, 0.06, ROOM.back + 0.025], colour }),
    place(block([0.05, 0.12, DEPTH], 0.02), { at: [ROOM.left + 0.025, 0.06, 0], colour }),
  ];
}

function windowFrame({ of }: Palette): BufferGeometry[] {
  const { z, y, width, height } = WINDOW;
  const x = ROOM.left;
  const colour = of("frame");
  const upright = (dz: number, thick: number) =>
    place(block([0.14, height + 0.1, thick], 0.03), { at: [x, y, z + dz], colour });
  const level = (dy: number, thick: number) =>
    place(block([0.14, thick, width + 0.1], 0.03), { at: [x, y + dy, z], colour });
  return [
    upright(-width / 2, 0.1),
    upright(width / 2, 0.1),
    upright(0, 0.06),
    level(-height / 2, 0.1),
    level(height / 2, 0.1),
    level(0.28, 0.05),
    place(block([0.36, 0.06, width + 0.3], 0.025), { at: [x + 0.14, y - height / 2 - 0.05, z], colour: of("wood") }),
  ];
}

/** The sky behind the panes: a gradient from the horizon up. */
function sky({ of }: Palette): BufferGeometry {
  const { z, y, width, height } = WINDOW;
  const pane = new PlaneGeometry(width, height, 1, 6).rotateY(Math.PI / 2);
  pane.deleteAttribute("uv");
  pane.translate(ROOM.left - WALL * 0.8, y, z);
  const at = pane.getAttribute("position");
  const colours = new Float32Array(3 * at.count);
  for (let i = 0; i < at.count; i += 1) {
    const share = (at.getY(i) - (y - height / 2)) / height;
    const { r, g, b } = new Color().lerpColors(of("skyLow"), of("sky"), Math.min(1, 1.3 * share));
    colours.set([r, g, b], 3 * i);
  }
  pane.setAttribute("color", new BufferAttribute(colours, 3));
  return pane;
}

/** A skyline, so that the window looks out on something. */
function skyline({ of, theme }: Palette): BufferGeometry[] {
  const heights = [0.34, 0.52, 0.4, 0.7, 0.46, 0.3, 0.58, 0.42, 0.66, 0.36];
  const { z, y, width, height } = WINDOW;
  const step = width / heights.length;
  const far = of("sky")
    .lerp(of("skyLow"), 0.35)
    .multiplyScalar(theme === "dark" ? 0.5 : 0.85);
  return heights.map((tall, i) => {
    const shape = new PlaneGeometry(step * 0.94, tall).rotateY(Math.PI / 2);
    shape.deleteAttribute("uv");
    const at = [ROOM.left - WALL * 0.7, y - height / 2 + tall / 2, z - width / 2 + (i + 0.5) * step] as const;
    return place(shape, { at, colour: far });
  });
}

function plant({ of }: Palette): BufferGeometry[] {
  const [x, z] = [-4.6, -0.45 + 3.3];
  const leaves = Array.from({ length: 9 }, (_, i) => {
    const turn = (i * 2 * Math.PI) / 9 + (i % 2) * 0.3;
    const lean = 0.35 + 0.25 * (i % 3);
    const leaf = block([0.16, 0.75 - 0.1 * (i % 3), 0.035], 0.017);
    leaf.translate(0, 0.36, 0);
    leaf.rotateX(lean);
    leaf.rotateY(turn);
    return place(leaf, { at: [x, 0.42, z], colour: of("leaf").multiplyScalar(0.8 + 0.12 * (i % 3)) });
  });
  return [place(tube(0.23, 0.17, 0.42, 14), { at: [x, 0.22, z], colour: of("pot") }), ...leaves];
}

/** A line of light along the top of the back wall. */
function strip({ of }: Palette): BufferGeometry {
  return place(block([4.5, 0.035, 0.03], 0.012), {
    at: [1.02, ROOM.height - 0.24, ROOM.back + 0.075],
    colour: of("lamp"),
  });
}

/** The light of the strip on the wall below it. */
function wash({ of }: Palette, strength: number): Mesh {
  const shape = new PlaneGeometry(4.9, 2.4, 1, 8);
  const at = shape.getAttribute("position");
  const { r, g, b } = of("lamp");
  const colours = new Float32Array(4 * at.count);
  for (let i = 0; i < at.count; i += 1) colours.set([r, g, b, strength * ((at.getY(i) + 1.2) / 2.4) ** 2], 4 * i);
  shape.setAttribute("color", new BufferAttribute(colours, 4));
  const light = new Mesh(
    shape,
    new MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, blending: AdditiveBlending }),
  );
  light.position.set(1.02, ROOM.height - 0.25 - 1.2, ROOM.back + 0.07);
  return light;
}

export function shell({ root, fixed, palette }: World): Figure {
  root.add(wash(palette, palette.theme === "dark" ? 0.3 : 0.12));
  fixed.add("matte", ...floor(palette), ...leftWall(palette), ...backWall(palette), ...skirting(palette));
  fixed.add("matte", ...windowFrame(palette), ...plant(palette));
  fixed.add("glow", sky(palette), ...skyline(palette), strip(palette));
  return { update: () => undefined };
}
