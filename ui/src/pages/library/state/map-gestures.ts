// The pointer on the map: drag moves, wheel zooms, Shift+drag draws around tracks, click selects, double click opens.

import type { Place } from '../lib/map-view';

export interface MapActions {
  pan(dx: number, dy: number): void;
  zoom(factor: number, at: Place): void;
  /** Where the pointer rests; null when it has left. */
  hover(at: Place | null): void;
  pick(at: Place): void;
  open(at: Place): void;
  /** The outline so far; null when there is none. */
  lasso(outline: Place[] | null): void;
  /** An outline was closed; `more` adds to what is selected. */
  enclose(outline: Place[], more: boolean): void;
}

/** A hand that clicks moves so far. */
const STILL_PX = 4;
/** Corners of an outline stand so far apart. */
const CORNER_PX = 4;

export class MapGestures {
  private readonly ends = new AbortController();
  private drag: { last: Place; begun: Place; moved: boolean; outline: Place[] | null } | null = null;

  constructor(
    private readonly element: HTMLElement,
    private readonly actions: MapActions,
  ) {
    const { signal } = this.ends;
    element.addEventListener('pointerdown', (event) => this.down(event), { signal });
    element.addEventListener('pointermove', (event) => this.move(event), { signal });
    element.addEventListener('pointerup', (event) => this.up(event), { signal });
    element.addEventListener('pointercancel', () => this.cancel(), { signal });
    element.addEventListener('pointerleave', () => this.drag === null && actions.hover(null), { signal });
    element.addEventListener('dblclick', (event) => actions.open(this.at(event)), { signal });
    element.addEventListener('wheel', (event) => this.wheel(event), { signal, passive: false });
  }

  dispose(): void {
    this.ends.abort();
  }

  private at(event: MouseEvent): Place {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const at = this.at(event);
    this.drag = { last: at, begun: at, moved: false, outline: event.shiftKey ? [at] : null };
    this.element.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const at = this.at(event);
    const { drag } = this;
    if (!drag) return this.actions.hover(at);
    if (!drag.moved && Math.hypot(at.x - drag.begun.x, at.y - drag.begun.y) < STILL_PX) return;
    drag.moved = true;
    if (drag.outline) {
      const corner = drag.outline.at(-1);
      if (!corner || Math.hypot(at.x - corner.x, at.y - corner.y) >= CORNER_PX) drag.outline = [...drag.outline, at];
      this.actions.lasso(drag.outline);
    } else this.actions.pan(at.x - drag.last.x, at.y - drag.last.y);
    drag.last = at;
  }

  private up(event: PointerEvent): void {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (drag.outline) this.actions.lasso(null);
    if (!drag.moved) this.actions.pick(this.at(event));
    else if (drag.outline) this.actions.enclose(drag.outline, event.ctrlKey || event.metaKey);
  }

  private cancel(): void {
    this.drag = null;
    this.actions.lasso(null);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    // A notch of a mouse is about 100; a finger's movement comes in small parts.
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 33 : event.deltaY;
    this.actions.zoom(Math.exp(-Math.max(-300, Math.min(300, lines)) * 0.0022), this.at(event));
  }
}
