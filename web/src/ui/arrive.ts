let visited = false;

/** For a page's <main>: whoever comes from another page starts reading at the top of this one. */
export function arrive(main: HTMLElement): void {
  if (visited) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  visited = true;
}
