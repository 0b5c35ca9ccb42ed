// Moving a tab with the pointer: where it would go is shown as a line between tabs.

/** Pixels that a pointer moves before a press is a drag. */
const DRAG_PX = 5;

export class TabDrag {
  /** The tab that is dragged. */
  moved: number | null = $state(null);
  /** The tab before which it would go; their number for the end. */
  line: number | null = $state(null);

  constructor(private readonly move: (id: number, to: number) => void) {}

  start(event: PointerEvent, id: number, strip: HTMLElement): void {
    if (event.button !== 0) return;
    const from = event.clientX;
    const tabs = () => [...strip.querySelectorAll<HTMLElement>('[data-tab]')];
    const follow = (moved: PointerEvent) => {
      if (this.moved === null && Math.abs(moved.clientX - from) < DRAG_PX) return;
      this.moved = id;
      const box = strip.getBoundingClientRect();
      if (moved.clientX < box.left + 24) strip.scrollLeft -= 12;
      if (moved.clientX > box.right - 24) strip.scrollLeft += 12;
      const after = tabs().findIndex((tab) => moved.clientX < tab.getBoundingClientRect().left + tab.offsetWidth / 2);
      this.line = after < 0 ? tabs().length : after;
    };
    const end = (ended: Event) => {
      window.removeEventListener('pointermove', follow);
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
      const { moved, line } = this;
      this.moved = this.line = null;
      if (ended.type !== 'pointerup' || moved === null || line === null) return;
      const at = tabs().findIndex((tab) => tab.dataset['tab'] === `${id}`);
      // The place counts once the tab is gone from its old one.
      this.move(id, line > at ? line - 1 : line);
    };
    // The pointer is not captured: a press that is no drag is the button's click.
    window.addEventListener('pointermove', follow);
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
  }
}
