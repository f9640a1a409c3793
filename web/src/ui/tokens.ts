/** Design tokens as plain colours, for what cannot read them itself: a canvas, or a scene in 3D. */
export function readTokens<Name extends string>(tokens: Readonly<Record<Name, string>>): Record<Name, string> {
  const probe = document.createElement("i");
  // With transitions each colour would be read as the one before it.
  probe.style.transitionProperty = "none";
  document.body.append(probe);
  const colour = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const found = Object.entries<string>(tokens).map(([name, token]) => [name, colour(token)]);
  probe.remove();
  return Object.fromEntries(found) as Record<Name, string>;
}
