import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import base from "./vite.config.ts";

export default mergeConfig(
  base,
  defineConfig({
    // Svelte ships a server build too; component tests need the browser one.
    resolve: { conditions: ["browser"] },
    test: {
      // A document only where a test asks for one: it takes most of the time.
      environment: "node",
      include: ["src/**/*.test.ts"],
    },
  }),
);
