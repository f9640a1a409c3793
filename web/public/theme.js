// Runs before the first paint, so that a remembered theme never flashes the other one.
try {
  var theme = localStorage.getItem("servelab.theme.v1");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the page follows the system.
}
