import katex from "katex";
import type { Plugin } from "vite";

/** Splits a .tex file into its formulas: each starts with a comment line that names it, `% name`. */
export function parseFormulas(source: string): Record<string, string> {
  const parts = source.split(/^%[ \t]*([a-z][A-Za-z0-9]*)[ \t]*$/m).slice(1);
  const formulas: Record<string, string> = {};
  for (let i = 0; i < parts.length; i += 2) {
    formulas[parts[i]!] = parts[i + 1]!.trim();
  }
  return formulas;
}

export function toMathML(name: string, tex: string): string {
  const html = katex.renderToString(tex, {
    output: "mathml",
    displayMode: true,
    throwOnError: true,
    strict: "error",
  });
  // Only the <math> element: the wrapper carries a class for a stylesheet that is not shipped, and
  // the TeX source would be read out twice by some screen readers.
  const math = /<math[\s\S]*<\/math>/.exec(html)?.[0].replace(/<annotation[\s\S]*?<\/annotation>/, "");
  if (!math) throw new Error(`formula ${name}: no MathML came back`);
  if (/\sstyle=/.test(math)) throw new Error(`formula ${name}: inline styles are against the page's policy`);
  return math;
}

/** Turns `import formulas from "./x.tex"` into a record of MathML, at build time. */
export function formulas(): Plugin {
  return {
    name: "servelab:formulas",
    transform(source, id) {
      if (!id.endsWith(".tex")) return;
      const entries = Object.entries(parseFormulas(source)).map(([name, tex]) => [name, toMathML(name, tex)]);
      return { code: `export default ${JSON.stringify(Object.fromEntries(entries))};`, map: null, moduleType: "js" };
    },
  };
}
