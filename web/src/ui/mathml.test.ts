// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { safeMath } from "./mathml.ts";

const NAMESPACE = 'xmlns="http://www.w3.org/1998/Math/MathML"';

describe("MathML from elsewhere", () => {
  it("is kept where it is a formula", () => {
    const math = safeMath(`<math ${NAMESPACE} display="block"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>`);
    expect(math?.getAttribute("display")).toBe("block");
    expect(math?.querySelector("mfrac")?.textContent).toBe("a2");
  });

  it("loses what does not belong to a formula", () => {
    const math = safeMath(`<math ${NAMESPACE} onclick="go()" style="color:red"><mi href="javascript:1">a</mi></math>`);
    expect(math?.attributes).toHaveLength(0);
    expect(math?.querySelector("mi")?.attributes).toHaveLength(0);
  });

  it("is none where anything else is in it", () => {
    expect(safeMath(`<math ${NAMESPACE}><script>1</script></math>`)).toBeNull();
    expect(safeMath(`<math ${NAMESPACE}><mtext><img/></mtext></math>`)).toBeNull();
    expect(safeMath("<p>text</p>")).toBeNull();
  });
});
