import type { Accelerator, Model } from "../api/types.ts";
import type { Explained } from "./figures.ts";

export interface Source {
  what: string;
  where: string;
}

const OF: Record<string, string> = {
  memory_bytes: "memory",
  bandwidth_bytes_per_s: "bandwidth",
  link_bytes_per_s: "link rate",
  price_usd_per_hour: "price",
};

function nameOf(path: string): string {
  return OF[path] ?? path.replace(/^flop_per_s\./, "");
}

/** Where the catalogue's numbers behind a figure were read. */
export function sources(of: Explained, model: Model | undefined, accelerator: Accelerator | undefined): Source[] {
  if (of === "reserve") return [];
  const list: Source[] = model?.source ? [{ what: model.name, where: model.source }] : [];
  if (!accelerator?.sources || ["weights", "kv_cache", "workspace"].includes(of)) return list;
  const rows = accelerator.sources.map(({ of: paths, read_in }) => ({
    what: `${accelerator.name}: ${paths.map(nameOf).join(", ")}`,
    where: read_in,
  }));
  return [...list, ...rows];
}
