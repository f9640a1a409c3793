export const CHART_KEYS =
  "Left and right move through time, plus and minus zoom, 0 shows all. Up and down choose a request. Space plays, comma and full stop step through iterations.";

export const WHEEL =
  "Drag to pan, Ctrl and wheel to zoom, or click first and use the wheel alone. Click a request to see where its time went.";
