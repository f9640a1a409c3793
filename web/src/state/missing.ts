import * as words from "../words/notices.ts";
import { DEFAULTS } from "./config.ts";
import { forms } from "./forms.svelte.ts";
import { notices } from "./notices.svelte.ts";
import { isTag, spoken } from "./own.ts";

const KINDS = ["model", "accelerator"] as const;

/** True for a setting that names a model or accelerator of someone's own, which the link does not carry. */
function isMissing(pair: string): boolean {
  const cut = pair.indexOf("=");
  return KINDS.some((kind) => kind === pair.slice(0, cut)) && isTag(pair.slice(cut + 1));
}

/** Says so where a link names a model or accelerator of someone's own that is not here; the rest comes back. */
export function missOwn(ignored: readonly string[]): string[] {
  for (const kind of KINDS) {
    const id = `missing-${kind}`;
    if (!ignored.some((pair) => pair.startsWith(`${kind}=`) && isMissing(pair))) notices.dismiss(id);
    else
      notices.show({
        id,
        text: words.missingOwn(kind, spoken(DEFAULTS[kind])),
        action: { label: words.GIVE_OWN[kind], run: () => forms.show(kind) },
      });
  }
  return ignored.filter((pair) => !isMissing(pair));
}
