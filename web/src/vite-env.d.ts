/// <reference types="svelte" />
/// <reference types="vite/client" />

/** Formulas become MathML when the page is built; see formulas.plugin.ts. */
declare module "*.tex" {
  const formulas: Readonly<Record<string, string>>;
  export default formulas;
}
