// Scrolling while something is dragged beyond an edge of the lanes, the faster the farther.

import { frameFromX, scrolled, span } from '../../../lib/view';
import type { DocumentState } from '../../../state/document.svelte';

/** The pointer cannot leave a window that fills the screen: its last pixels count as beyond. */
const MARGIN_PX = 3;
const LEAST_PX = 12;

export class EdgeScroll {
  private x = 0;
  private frame = 0;

  constructor(
    private readonly element: HTMLElement,
    private readonly document: DocumentState,
    /** Is told the frame at the edge whenever the lanes were scrolled. */
    private readonly moved: (frame: number) => void,
  ) {}

  /** Follows a dragged pointer, and scrolls while it stays beyond an edge. */
  follow(clientX: number): void {
    this.x = clientX - this.element.getBoundingClientRect().left;
    if (this.beyond() !== 0 && this.frame === 0) this.frame = requestAnimationFrame(() => this.step());
  }

  rest(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  private beyond(): number {
    const width = this.element.clientWidth;
    if (this.x < MARGIN_PX) return Math.min(this.x - MARGIN_PX, -LEAST_PX);
    if (this.x > width - MARGIN_PX) return Math.max(this.x - width + MARGIN_PX, LEAST_PX);
    return 0;
  }

  private step(): void {
    this.frame = 0;
    const beyond = this.beyond();
    if (beyond === 0) return;
    const width = Math.max(1, this.element.clientWidth);
    const { view, data } = this.document;
    this.document.setView(scrolled(view, (beyond / width) * span(view) * 0.15, data.frames));
    this.moved(frameFromX(beyond < 0 ? 0 : width, this.document.view, width));
    this.frame = requestAnimationFrame(() => this.step());
  }
}
