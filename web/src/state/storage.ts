/** localStorage under versioned names; where it is blocked or full, the page simply forgets. */

export const CONFIG_KEY = "servelab.config.v1";
export const OWN_KEY = "servelab.own.v1";
export const BASELINE_KEY = "servelab.baseline.v1";
export const PREDICTIONS_KEY = "servelab.predictions.v1";
export const ROOM_KEY = "servelab.room.v1";
export const ROOM_VISIT_KEY = "servelab.room-visit.v1";
export const STARS_KEY = "servelab.stars.v1";
export const ROLE_KEY = "servelab.role.v1";
export const SEEN_KEY = "servelab.seen.v1";
export const THEME_KEY = "servelab.theme.v1"; // public/theme.js reads it too

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing to do: the next visit starts from the example.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was remembered either.
  }
}
