import { drawRoofline } from "../board.ts";
import type { Figure, World } from "../figure.ts";
import { block, pictured, place } from "../kit.ts";
import { BOARD, ROOM } from "../layout.ts";
import { Picture } from "../picture.ts";

/** The whiteboard with the live roofline. */
export function whiteboard({ root, fixed, palette }: World): Figure {
  const { x, y, width, height } = BOARD;
  const z = ROOM.back;
  const colour = palette.of("steel");
  const rim = (w: number, h: number, dx: number, dy: number) =>
    place(block([w, h, 0.07], 0.025), { at: [x + dx, y + dy, z + 0.05], colour });
  fixed.add(
    "satin",
    rim(width + 0.1, 0.06, 0, height / 2),
    rim(width + 0.1, 0.06, 0, -height / 2),
    rim(0.06, height, -width / 2, 0),
    rim(0.06, height, width / 2, 0),
    place(block([width * 0.5, 0.03, 0.14], 0.012), { at: [x, y - height / 2 - 0.05, z + 0.12], colour }),
  );
  const pens = (["math", "traffic", "bad"] as const).map((tone, i) =>
    place(block([0.17, 0.03, 0.03], 0.012), {
      at: [x - 0.3 + 0.24 * i, y - height / 2 - 0.02, z + 0.13],
      colour: palette.of(tone),
    }),
  );
  fixed.add("matte", ...pens);
  const picture = new Picture(1024, Math.round((1024 * height) / width));
  const face = pictured(width, height, picture.texture);
  // Lit by the room a little less than paper would be: a screen it is not.
  face.position.set(x, y, z + 0.06);
  root.add(face);
  return {
    update: ({ roofline }) => picture.draw([roofline], (ctx, w, h) => drawRoofline(ctx, [w, h], roofline, palette)),
  };
}
