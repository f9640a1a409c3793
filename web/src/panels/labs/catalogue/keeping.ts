import { writeBackup } from "../../../state/stars.ts";
import { stars } from "../../../state/stars.svelte.ts";
import { saveText } from "../../../ui/savefile.ts";

export function saveStars(): void {
  saveText("servelab-stars.json", writeBackup(stars.all));
}
