interface Row {
  at: number;
  count: number;
  group: Element | undefined;
  choose: (index: number) => void;
  focus: (index: number) => void;
}

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** Keys along a row of buttons in a chart: arrows move the focus, Enter and Space choose. */
export function roving(event: KeyboardEvent, { at, count, group, choose, focus }: Row): void {
  const step = STEPS[event.key];
  if (event.key === "Enter" || event.key === " ") choose(at);
  else if (!step) return;
  else {
    const to = Math.max(0, Math.min(count - 1, step(at, count - 1)));
    focus(to);
    group?.querySelectorAll<SVGGElement>("[role=button]")[to]?.focus();
  }
  event.preventDefault();
}
