// The pointer on the lanes: cursor, selection in time and frequency and its edges, scrolling and zooming.

import type { FrequencyBand } from '../../../bindings';
import type { ContextName } from '../../../commands/context/menus';
import { isMac } from '../../../lib/keys';
import { isPinch } from '../lib/pinch';
import { frameFromX, scrolled, selectionBetween, span, xFromFrame, zoomed } from '../../../lib/view';
import type { App } from '../../../state/app.svelte';
import type { DocumentState, Selected } from '../../../state/document.svelte';
import { EdgeScroll } from './edge-scroll';
import { LanePlaces, RULER_PX } from './lane-places';
import { snaps } from '../../../state/snapping.svelte';

const EDGE_PX = 5;
const DRAG_PX = 3;

export type Edge = 'start' | 'end' | 'low' | 'high';

interface Drag {
  fromX: number;
  fromY: number;
  moved: boolean;
  /** It has an edge of the selection, which stays where it is until the pointer moves. */
  grabs: boolean;
  /** The frame that stays; none while only frequencies are dragged. */
  anchor: number | null;
  /** The frequency that stays, and its lane; none while only time is dragged. */
  hz: { anchor: number; lane: number } | null;
  /** Ctrl was held when it began, where it chooses what is selected. */
  held: boolean;
  /** The frame that stays was chosen by this drag, and snapped to nothing yet. */
  free: boolean;
  /** The selection before it. */
  former: Selected;
}

export class LaneGestures {
  readonly places: LanePlaces;
  private drag: Drag | null = null;
  private lastY = 0;
  private readonly scroll: EdgeScroll;
  /** Whether what is dragged snaps. */
  private snaps = false;
  private readonly escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.cancel();
  };

  constructor(
    private readonly element: HTMLElement,
    private readonly document: DocumentState,
    private readonly app: App,
    /** Whether the element shows the channels, where heights are frequencies if a spectrogram is shown. */
    private readonly frequencies = true,
  ) {
    this.places = new LanePlaces(element, document, app, frequencies);
    this.scroll = new EdgeScroll(element, document, (frame) => this.dragTo(frame));
  }

  private place(event: MouseEvent): { x: number; width: number; frame: number } {
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left;
    return { x, width: box.width, frame: frameFromX(x, this.document.view, box.width) };
  }

  /** Which edge of the selection is under the pointer. */
  edgeAt(event: MouseEvent): Edge | null {
    const { selection, band, view } = this.document;
    if (!selection) return null;
    const { x, width } = this.place(event);
    const [from, to] = [xFromFrame(selection.start, view, width), xFromFrame(selection.end, view, width)];
    const spot = this.places.spot(event.clientY);
    if (band && spot) {
      const [high, low] = [this.places.clientY(band.high_hz, spot.lane), this.places.clientY(band.low_hz, spot.lane)];
      const inside = x > from && x < to;
      if (inside && Math.abs(high - event.clientY) <= EDGE_PX) return 'high';
      if (inside && Math.abs(low - event.clientY) <= EDGE_PX) return 'low';
      if (event.clientY < high - EDGE_PX || event.clientY > low + EDGE_PX) return null;
    }
    const toStart = Math.abs(from - x);
    const toEnd = Math.abs(to - x);
    if (Math.min(toStart, toEnd) > EDGE_PX) return null;
    return toStart <= toEnd ? 'start' : 'end';
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    const { x, frame } = this.place(event);
    const { selection, band, channels, cursor } = this.document;
    const edge = this.edgeAt(event);
    const spot = this.places.spot(event.clientY);
    const held = spot !== null && this.takesBand(event) !== this.app.layout.bandTool;
    const from = { fromX: x, fromY: event.clientY, held, free: false, former: { selection, band, channels } };
    window.addEventListener('keydown', this.escape, true);
    this.snaps = snaps(this.app, event, held);
    this.lastY = event.clientY;
    if (edge && selection) {
      const far = band && (edge === 'low' ? band.high_hz : edge === 'high' ? band.low_hz : null);
      this.drag = { ...from, moved: false, grabs: true, anchor: edge === 'start' ? selection.end : edge === 'end' ? selection.start : null, hz: far === null || !spot ? null : { anchor: far, lane: spot.lane } };
    } else if (spot && this.takesBand(event) && !event.shiftKey) {
      const anchor = this.snapped(frame);
      this.drag = { ...from, free: this.isFree, moved: false, grabs: false, anchor: Math.round(anchor), hz: { anchor: spot.hz, lane: spot.lane } };
    } else if (event.shiftKey) {
      // The far edge stays, the near one comes to the pointer.
      const anchor = selection ? (frame > (selection.start + selection.end) / 2 ? selection.start : selection.end) : cursor;
      this.drag = { ...from, anchor, moved: true, grabs: false, hz: null };
      this.dragTo(frame);
    } else {
      const anchor = this.snapped(frame);
      this.drag = { ...from, free: this.isFree, anchor: Math.round(anchor), moved: false, grabs: false, hz: null };
    }
    if (event.altKey && !edge && this.frequencies && !this.places.shown) this.onlyLane(event.clientY);
  }

  /** Lets edits act on the channel of the lane at a height alone. */
  private onlyLane(clientY: number): void {
    const { channels, count } = this.places.set;
    if (channels === 'each' && count > 1 && this.document.data.chosen !== 'sum') this.document.setChannels([this.places.within(clientY).lane]);
  }

  private snapped(frame: number): number {
    return this.document.snapping.snap(this.app, this.document, frame, this.snaps);
  }

  /** Whether what was dragged last did not snap. */
  private get isFree(): boolean {
    return this.document.snapping.line === null;
  }

  /** Whether a drag selects frequencies too: as the tool says, or for once not, with Ctrl. Alt, where it comes, asks for them. */
  private takesBand(event: PointerEvent): boolean {
    const other = isMac() ? event.metaKey : event.ctrlKey;
    return event.altKey || this.app.layout.bandTool !== other;
  }

  move(event: PointerEvent): void {
    const { x, frame, width } = this.place(event);
    const inside = x >= 0 && x <= width;
    this.app.hoverFrame = inside ? frame : null;
    const spot = inside ? this.places.spot(event.clientY) : null;
    this.document.spectrogram.hover = spot && { frame, ...spot };
    this.lastY = event.clientY;
    if (!this.drag) return;
    this.snaps = snaps(this.app, event, this.drag.held);
    const { fromX, fromY, grabs } = this.drag;
    const passed = grabs ? Math.hypot(x - fromX, event.clientY - fromY) : Math.abs(x - fromX);
    if (!this.drag.moved && passed < DRAG_PX) return;
    if (!this.drag.moved && !grabs && this.drag.hz === null) this.document.band = null;
    this.drag.moved = true;
    this.dragTo(frame);
    if (this.drag.anchor !== null) this.scroll.follow(event.clientX);
  }

  up(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    const { frame } = this.place(event);
    if (drag.moved) {
      this.lastY = event.clientY;
      const { selection, band } = this.region(frame);
      const free = { anchor: drag.free, end: this.isFree };
      this.rest();
      this.document.commitSelection(selection, band);
      return void this.app.notices.attempt(() => this.toZero(drag.anchor, free));
    }
    const place = this.snapped(frame);
    this.rest();
    // A press on an edge that moved nothing changes nothing.
    if (drag.grabs) return;
    this.document.spectrogram.mark = this.places.spot(event.clientY);
    this.document.setCursor(place);
    if (this.document.selection) this.document.commitSelection(null);
    if (this.app.player.headOf(this.document) !== null) void this.app.player.seek(this.document, this.document.cursor);
  }

  cancel(): void {
    const { drag } = this;
    this.rest();
    if (!drag) return;
    const ofLane = this.document.channels !== drag.former.channels;
    this.document.restoreSelection(drag.former);
    if (ofLane) this.document.setChannels(drag.former.channels);
  }

  private rest(): void {
    this.drag = null;
    this.scroll.rest();
    this.document.snapping.rest();
    window.removeEventListener('keydown', this.escape, true);
  }

  /** Puts the ends of the selection that snapped to nothing on zero crossings, if that is wanted. */
  private async toZero(anchor: number | null, free: { anchor: boolean; end: boolean }): Promise<void> {
    const { document } = this;
    const { selection, band } = document;
    if (!selection || anchor === null) return;
    const is = (frame: number) => (frame === anchor ? free.anchor : free.end);
    const [start, end] = await Promise.all([selection.start, selection.end].map(async (frame) => (await document.snapping.toZero(this.app, [frame], this.snaps && is(frame)))[0] ?? frame));
    const now = document.selection;
    // The core's answer is another object of the same frames.
    if (start === undefined || end === undefined || start >= end || now?.start !== selection.start || now.end !== selection.end) return;
    if (start !== selection.start || end !== selection.end) document.commitSelection({ start, end }, band);
  }

  leave(): void {
    this.app.hoverFrame = null;
    this.document.spectrogram.hover = null;
  }

  /** Which menu belongs to a place; outside the selection the cursor comes there. The menu key is about what is selected. */
  menuAt(event: MouseEvent): ContextName {
    const { selection } = this.document;
    if (!event.isTrusted) return selection ? 'selection' : 'lanes';
    if (event.clientY - this.element.getBoundingClientRect().top < RULER_PX) return 'time-ruler';
    const { frame } = this.place(event);
    if (selection && frame >= selection.start && frame <= selection.end) return 'selection';
    this.document.setCursor(frame);
    return 'lanes';
  }

  /** Selects the clip under the pointer or, of a recording in one piece, the sound between two silences. */
  double(event: MouseEvent): void {
    const { frame } = this.place(event);
    const { joins, frames } = this.document.data;
    if (joins.length > 0) {
      const start = joins.findLast((join) => join <= frame) ?? 0;
      return this.document.commitSelection({ start, end: joins.find((join) => join > frame) ?? frames });
    }
    void this.app.notices.attempt(() => this.document.selectBetweenSilences(frame));
  }

  /** Selects everything at the third click. */
  click(event: MouseEvent): void {
    if (event.detail >= 3) this.document.commitSelection({ start: 0, end: this.document.data.frames });
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, width } = this.place(event);
    const { view, data } = this.document;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? width : 1;
    // With Shift some systems turn the wheel sideways.
    const turned = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY;
    const { wheel } = this.app.settings.now;
    const held = event.ctrlKey || event.metaKey;
    const ofFrequency = held && event.shiftKey && this.places.shown;
    if (ofFrequency || isPinch(event) || wheel[held ? 'ctrl' : event.shiftKey ? 'shift' : 'plain'] === 'zoom') {
      const factor = Math.exp(Math.max(-120, Math.min(120, turned * lines)) * 0.004);
      if (ofFrequency) this.places.zoom(factor, event.clientY);
      else this.document.setView(zoomed(view, factor, Math.min(1, Math.max(0, x / width)), data.frames));
      return;
    }
    this.document.setView(scrolled(view, ((turned * lines) / width) * span(view), data.frames));
    this.app.hoverFrame = frameFromX(x, this.document.view, width);
  }

  get dragging(): boolean {
    return this.drag !== null;
  }

  private dragTo(frame: number): void {
    const { selection, band } = this.region(frame);
    if (this.drag) this.document.dragSelection(selection, band);
  }

  /** The selection with the pointer where it is. */
  private region(frame: number): { selection: ReturnType<typeof selectionBetween>; band: FrequencyBand | null } {
    const { drag, document } = this;
    if (!drag) return { selection: document.selection, band: document.band };
    const selection = drag.anchor === null ? document.selection : selectionBetween(drag.anchor, this.snapped(frame), document.data.frames);
    if (!drag.hz) return { selection, band: document.band };
    const spot = this.places.spot(this.lastY, drag.hz.lane);
    if (!spot) return { selection, band: document.band };
    const [low_hz, high_hz] = [Math.min(spot.hz, drag.hz.anchor), Math.max(spot.hz, drag.hz.anchor)];
    return { selection, band: high_hz > low_hz ? { low_hz, high_hz } : null };
  }
}
