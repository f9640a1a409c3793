/** What the `?` dialog lists. */
export const KEYS: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ["?"], does: "Open this list" },
  { keys: ["Ctrl", "K"], does: "Search every control, action and page; on a Mac with ⌘" },
  { keys: ["Ctrl", "Z"], does: "Undo the last change of a setting; with Shift, redo" },
  { keys: ["Tab"], does: "Go to the next control; with Shift, back" },
  { keys: ["↓", "↑"], does: "In a list of models or accelerators: open it and move" },
  { keys: ["Enter"], does: "Take the marked entry; press a button" },
  { keys: ["Esc"], does: "Close a list or a dialog and change nothing" },
  { keys: ["←", "→"], does: "On a slider: the next stop. On the degree: the next allowed one" },
  { keys: ["Enter", "Space"], does: "On a point of a chart: choose it. Left and right go along the batches" },
  { keys: ["PgUp", "PgDn"], does: "On a slider or in a list: a longer way" },
  { keys: ["Home", "End"], does: "On a slider: the first or the last stop" },
  { keys: ["Alt", "←"], does: "Take back the last change, by the browser's Back" },
  { keys: ["Space"], does: "On the charts of the traffic page: play, and pause" },
  { keys: [",", "."], does: "There: the iteration before, the iteration after" },
  { keys: ["←", "→"], does: "There: earlier, later. Plus and minus zoom, 0 shows the whole run" },
  { keys: ["↑", "↓"], does: "There: choose a request, and see where its time went" },
];
