// The pointer and the keys on markers in their strip: choose, go there, drag, nudge, name.

import type { MarkerView } from '../../../bindings';
import { dragged, nudge, type MarkerPart } from '../../../lib/markers';
import { span, xFromFrame } from '../../../lib/view';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { goToMarker } from './marker-actions';
import { snaps } from '../../../state/snapping.svelte';

const EDGE_PX = 5;
const DRAG_PX = 3;

interface Drag {
  marker: MarkerView;
  part: MarkerPart;
  fromX: number;
  moved: boolean;
  /** Whether it snaps. */
  snaps: boolean;
}

export class MarkerGestures {
  private drag: Drag | null = null;

  constructor(
    private readonly strip: HTMLElement,
    private readonly document: DocumentState,
    private readonly app: App,
  ) {}

  private get markers() {
    return this.document.markers;
  }

  private get width(): number {
    return this.strip.clientWidth;
  }

  private partAt(event: PointerEvent, marker: MarkerView): MarkerPart {
    if (marker.end_frame === null) return 'all';
    const x = event.clientX - this.strip.getBoundingClientRect().left;
    const [from, to] = [xFromFrame(marker.start_frame, this.document.view, this.width), xFromFrame(marker.end_frame, this.document.view, this.width)];
    // Of what is too narrow to have edges, all of it is moved.
    if (to - from < 4 * EDGE_PX) return 'all';
    return x - from <= EDGE_PX ? 'start' : to - x <= EDGE_PX ? 'end' : 'all';
  }

  down(event: PointerEvent, marker: MarkerView): void {
    if (event.button !== 0) return;
    const element = event.currentTarget as HTMLElement;
    event.preventDefault();
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    this.drag = { marker, part: this.partAt(event, marker), fromX: event.clientX, moved: false, snaps: false };
  }

  move(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    const px = event.clientX - drag.fromX;
    if (!drag.moved && Math.abs(px) < DRAG_PX) return;
    drag.moved = true;
    drag.snaps = snaps(this.app, event);
    const by = (px / Math.max(1, this.width)) * span(this.document.view);
    // Of a region that is moved, the start snaps.
    const { marker, part } = drag;
    const place = part === 'end' ? (marker.end_frame ?? marker.start_frame) : marker.start_frame;
    const snapped = this.document.snapping.snap(this.app, this.document, place + by, drag.snaps, marker.id);
    this.markers.moving = dragged(marker, part, snapped - place, this.document.data.frames);
  }

  up(): void {
    const { drag } = this;
    const free = this.document.snapping.line === null;
    this.drag = null;
    this.document.snapping.rest();
    if (!drag) return;
    if (drag.moved) void this.app.notices.attempt(() => this.drop(drag, free));
    else goToMarker(this.app, this.document, drag.marker);
  }

  /** Makes a drag so, at a zero crossing if it snapped to nothing and that is wanted. */
  private async drop({ marker, part, snaps }: Drag, free: boolean): Promise<void> {
    const { moving } = this.markers;
    if (!moving) return;
    const place = part === 'end' ? (moving.end_frame ?? moving.start_frame) : moving.start_frame;
    const [crossing] = await this.document.snapping.toZero(this.app, [place], snaps && free);
    const before = part === 'end' ? (marker.end_frame ?? marker.start_frame) : marker.start_frame;
    await this.markers.place(dragged(marker, part, (crossing ?? place) - before, this.document.data.frames));
  }

  /** Leaves what is dragged or nudged where it was. */
  abandon(): void {
    this.drag = null;
    this.document.snapping.rest();
    this.markers.moving = null;
  }

  /** Makes a nudge by keys so, once they are let go. */
  rest(): void {
    if (!this.drag) this.commit();
  }

  private commit(): void {
    const { moving } = this.markers;
    if (moving) void this.app.notices.attempt(() => this.markers.place(moving));
  }

  /** Whether the key meant something here. */
  key(event: KeyboardEvent, marker: MarkerView): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const sideways = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (sideways !== 0 && event.shiftKey) this.nudge(marker, sideways);
    else if (sideways !== 0) this.step(marker, sideways);
    else if (event.key === 'Enter') goToMarker(this.app, this.document, marker);
    else if (event.key === 'F2') this.name(marker);
    else if (event.key === 'Escape' && this.markers.moving) this.abandon();
    else return false;
    return true;
  }

  private nudge(marker: MarkerView, sideways: number): void {
    const { moving } = this.markers;
    this.markers.moving = dragged(moving?.id === marker.id ? moving : marker, 'all', sideways * nudge(this.document.view, this.width), this.document.data.frames);
  }

  /** Goes to another marker, which takes the focus. */
  private step(marker: MarkerView, by: 1 | -1): void {
    const { all } = this.markers;
    const next = all[all.findIndex((each) => each.id === marker.id) + by];
    if (!next) return;
    goToMarker(this.app, this.document, next);
    requestAnimationFrame(() => this.strip.querySelector<HTMLElement>(`[data-about="${next.id}"]`)?.focus({ preventScroll: true }));
  }

  name(marker: MarkerView): void {
    this.markers.chosenId = marker.id;
    this.markers.naming = { id: marker.id, place: 'strip' };
  }
}
