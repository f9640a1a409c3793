/** MathML that came from elsewhere, kept to what a formula is made of: no links, no scripts, no styles. */

const SPACE = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  (
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd " +
    "mpadded mphantom mstyle semantics"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  "display displaystyle mathvariant stretchy fence separator lspace rspace width height depth columnalign".split(" "),
);

/** A copy of what is allowed; anything else makes the whole of it null, since half a formula is a wrong one. */
function copy(element: Element, into: Document): Element | null {
  if (!ELEMENTS.has(element.localName)) return null;
  const made = into.createElementNS(SPACE, element.localName);
  for (const { name, value } of element.attributes) {
    if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  }
  for (const node of element.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) made.append(node.textContent ?? "");
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    const child = copy(node as Element, into);
    if (!child) return null;
    made.append(child);
  }
  return made;
}

/** The formula, or null where the text is none: its plain words then stand for it. */
export function safeMath(text: string): Element | null {
  const parsed = new DOMParser().parseFromString(text, "text/xml").documentElement;
  return parsed.localName === "math" ? copy(parsed, document) : null;
}
