import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

const browser = Object.fromEntries(
  ["document", "window", "location", "history", "localStorage", "navigator", "matchMedia", "fetch", "console"].map(
    (name) => [name, "readonly"],
  ),
);

export default ts.config(
  { ignores: ["node_modules", "dist", ".svelte-check", "src/api/schema.d.ts"] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  { languageOptions: { globals: browser } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", { max: 40, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", 6],
      "no-console": "error",
      eqeqeq: "error",
    },
  },
  { files: ["**/*.test.ts"], rules: { "max-lines-per-function": "off" } },
);
