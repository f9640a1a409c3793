import type { Accelerator, Model } from "../api/types.ts";
import { bytes, large, text } from "../ui/format.ts";
import type { Option } from "../ui/filter.ts";

/** Whoever published it: the part of the Hugging Face name before the slash. */
function publisher(model: Model): string {
  return model.hugging_face?.split("/")[0] ?? model.family ?? "Others";
}

export function modelOptions(models: readonly Model[]): Option[] {
  return models.map((model) => ({
    id: model.id,
    name: model.name,
    detail: large(model.parameters),
    group: publisher(model),
    also: [model.hugging_face ?? "", model.family ?? "", ...(model.aliases ?? [])],
  }));
}

export function acceleratorOptions(accelerators: readonly Accelerator[]): Option[] {
  return accelerators.map((accelerator) => ({
    id: accelerator.id,
    name: accelerator.name,
    detail: text(bytes(accelerator.memory_bytes)),
    group: accelerator.vendor ?? "Others",
    also: [String(accelerator.year ?? ""), ...(accelerator.aliases ?? [])],
  }));
}
