import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { formulas } from "./formulas.plugin.ts";

const API = process.env["SERVELAB_API"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [formulas(), svelte()],
  build: {
    // The page's policy allows no data: URLs, so every asset stays a file of its own.
    assetsInlineLimit: 0,
    target: ["chrome123", "firefox128", "safari17.5"],
    modulePreload: { polyfill: false },
  },
  // `npm run dev` serves the page alone; answers come from a running `servelab`.
  server: { proxy: { "/api": API, "/healthz": API } },
});
