/** What is folded away and may be opened from elsewhere, as by the palette. */
class Reveal {
  /** The sheet of settings, where there is no room for the rail. */
  settings = $state(false);
  assumptions = $state(false);
  palette = $state(false);
  keys = $state(false);
  /** The experiment to show when its page opens. */
  experiment = $state<string | null>(null);
  /** The heading of the catalogue where to begin reading. */
  heading = $state<string | null>(null);
}

export const reveal = new Reveal();
