/** How far below the window something counts as seen already, so that it is there when the reader is. */
const AHEAD = "200px";

/** An attachment that does something when its element first comes into sight; the signal tells when it is gone. */
export function onceSeen(run: (leaving: AbortSignal) => void): (node: HTMLElement) => () => void {
  return (node) => {
    const leaving = new AbortController();
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        run(leaving.signal);
      },
      { rootMargin: AHEAD },
    );
    observer.observe(node);
    return () => {
      observer.disconnect();
      leaving.abort();
    };
  };
}
