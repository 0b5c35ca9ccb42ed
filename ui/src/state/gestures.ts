// What the pointer does on the lanes: cursor, selection and its edges, scrolling and zooming.

import { frameFromX, scrolled, selectionBetween, span, xFromFrame, zoomed } from '../lib/view';
import type { App } from './app.svelte';
import type { DocumentState } from './document.svelte';

const EDGE_PX = 5;
const DRAG_PX = 3;

type Drag = { anchor: number; fromX: number; moved: boolean };

export class LaneGestures {
  private drag: Drag | null = null;
  private lastX = 0;
  private scrolling = 0;

  constructor(
    private readonly element: HTMLElement,
    private readonly document: DocumentState,
    private readonly app: App,
  ) {}

  private place(event: MouseEvent): { x: number; width: number; frame: number } {
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left;
    return { x, width: box.width, frame: frameFromX(x, this.document.view, box.width) };
  }

  /** Which edge of the selection is under the pointer. */
  edgeAt(event: MouseEvent): 'start' | 'end' | null {
    const { selection, view } = this.document;
    if (!selection) return null;
    const { x, width } = this.place(event);
    const toStart = Math.abs(xFromFrame(selection.start, view, width) - x);
    const toEnd = Math.abs(xFromFrame(selection.end, view, width) - x);
    if (Math.min(toStart, toEnd) > EDGE_PX) return null;
    return toStart <= toEnd ? 'start' : 'end';
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    const { x, frame } = this.place(event);
    const { selection, cursor } = this.document;
    const edge = this.edgeAt(event);
    this.lastX = x;
    if (edge && selection) this.drag = { anchor: edge === 'start' ? selection.end : selection.start, fromX: x, moved: true };
    else if (event.shiftKey) {
      // The far edge stays, the near one comes to the pointer.
      const anchor = selection ? (frame > (selection.start + selection.end) / 2 ? selection.start : selection.end) : cursor;
      this.drag = { anchor, fromX: x, moved: true };
      this.dragTo(frame);
    } else this.drag = { anchor: Math.round(frame), fromX: x, moved: false };
  }

  move(event: PointerEvent): void {
    const { x, frame, width } = this.place(event);
    this.app.hoverFrame = x >= 0 && x <= width ? frame : null;
    this.lastX = x;
    if (!this.drag) return;
    if (!this.drag.moved && Math.abs(x - this.drag.fromX) < DRAG_PX) return;
    this.drag.moved = true;
    this.dragTo(frame);
    if ((x < 0 || x > width) && this.scrolling === 0) this.scrolling = requestAnimationFrame(() => this.scrollOn());
  }

  up(event: PointerEvent): void {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    const { frame } = this.place(event);
    if (drag.moved) return this.document.commitSelection(selectionBetween(drag.anchor, frame, this.document.data.frames));
    this.document.setCursor(frame);
    if (this.document.selection) this.document.commitSelection(null);
    if (this.app.player.headOf(this.document) !== null) void this.app.player.seek(this.document.cursor);
  }

  cancel(): void {
    if (this.drag?.moved) this.document.commitSelection(this.document.data.selection);
    this.drag = null;
  }

  leave(): void {
    this.app.hoverFrame = null;
  }

  double(event: MouseEvent): void {
    const { frame } = this.place(event);
    void this.app.attempt(() => this.document.selectBetweenSilences(frame));
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, width } = this.place(event);
    const { view, data } = this.document;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? width : 1;
    if (event.ctrlKey || event.metaKey) {
      const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY * lines)) * 0.004);
      this.document.setView(zoomed(view, factor, Math.min(1, Math.max(0, x / width)), data.frames));
      return;
    }
    const delta = (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * lines;
    this.document.setView(scrolled(view, (delta / width) * span(view), data.frames));
    this.app.hoverFrame = frameFromX(x, this.document.view, width);
  }

  get dragging(): boolean {
    return this.drag !== null;
  }

  private dragTo(frame: number): void {
    if (this.drag) this.document.dragSelection(selectionBetween(this.drag.anchor, frame, this.document.data.frames));
  }

  /** Scrolls while the pointer is held beyond an edge, the faster the farther. */
  private scrollOn(): void {
    this.scrolling = 0;
    const width = this.element.clientWidth;
    if (!this.drag || (this.lastX >= 0 && this.lastX <= width)) return;
    const beyond = this.lastX < 0 ? this.lastX : this.lastX - width;
    const { view, data } = this.document;
    this.document.setView(scrolled(view, (beyond / width) * span(view) * 0.15, data.frames));
    this.dragTo(frameFromX(Math.min(width, Math.max(0, this.lastX)), this.document.view, width));
    this.scrolling = requestAnimationFrame(() => this.scrollOn());
  }
}
