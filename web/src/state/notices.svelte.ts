/** Short sentences about what the page did on its own, each with an optional way to act. */

export interface Notice {
  id: string;
  text: string;
  action?: { label: string; run: () => void };
}

class Notices {
  list = $state.raw<readonly Notice[]>([]);

  /** One notice an id: a newer one takes the place of the older. */
  show(notice: Notice): void {
    this.list = [...this.list.filter(({ id }) => id !== notice.id), notice];
  }

  dismiss(id: string): void {
    if (this.list.some((notice) => notice.id === id)) this.list = this.list.filter((notice) => notice.id !== id);
  }
}

export const notices = new Notices();
