// The pointer and the keys on clips: move, trim, fade, turn up and down, cross-fade. The result of a drag is shown at once;
// the core hears of it when the pointer is let go, as one step.

import type { ClipEdit } from '../../../bindings';
import { draggedClip, gainOfWay, pixel, selectionOf, turnedClip, type ClipHold, type PlacedClip } from '../../../lib/clips';
import { frameFromX } from '../../../lib/view';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { EdgeScroll } from './edge-scroll';
import { snaps } from '../../../state/snapping.svelte';

const DRAG_PX = 3;
/** Steps of the arrow keys. */
const STEP_PX = 2;
const STEP_DB = 1;

interface Drag {
  clip: PlacedClip;
  hold: ClipHold;
  fromX: number;
  fromY: number;
  /** The frame that was taken hold of. */
  from: number;
  moved: boolean;
  /** Whether what follows goes along. */
  shift: boolean;
  /** Whether the place that follows the pointer snapped. */
  snaps: boolean;
}

/** The track whose row is under the pointer; null over the lanes and elsewhere. */
function trackAt(event: PointerEvent): number | null {
  const row = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>('[data-track-row]');
  return row ? Number(row.dataset['trackRow']) : null;
}

export class ClipGestures {
  private drag: Drag | null = null;
  private readonly scroll: EdgeScroll;
  /** How far keys have moved an edge that is not let go yet. */
  private nudged = 0;
  private readonly escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.abandon();
  };

  constructor(
    private readonly element: HTMLElement,
    private readonly document: DocumentState,
    private readonly app: App,
  ) {
    this.scroll = new EdgeScroll(element, document, (frame) => this.dragTo(frame));
  }

  private get clips() {
    return this.document.clips;
  }

  down(event: PointerEvent, clip: PlacedClip, hold: ClipHold): void {
    event.stopPropagation();
    if (event.button !== 0) return;
    event.preventDefault();
    this.abandon();
    const target = event.currentTarget as HTMLElement;
    (target.closest('button') ?? target).focus({ preventScroll: true });
    target.setPointerCapture(event.pointerId);
    window.addEventListener('keydown', this.escape, true);
    this.drag = { clip, hold, fromX: event.clientX, fromY: event.clientY, from: this.frameAt(event), moved: false, shift: false, snaps: false };
  }

  move(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    event.stopPropagation();
    const [x, y] = [event.clientX - drag.fromX, event.clientY - drag.fromY];
    if (!drag.moved && Math.abs(drag.hold === 'gain' ? y : x) < DRAG_PX) return;
    drag.moved = true;
    this.app.hoverFrame = null;
    drag.snaps = snaps(this.app, event);
    if (drag.hold === 'gain') {
      this.clips.drag = turnedClip(drag.clip, gainOfWay(y, this.element.clientHeight));
      return;
    }
    drag.shift = event.shiftKey;
    const track = drag.hold === 'move' ? trackAt(event) : null;
    if (track !== null) return this.over(drag, track, this.frameAt(event));
    this.document.tracks.drop = null;
    this.dragTo(this.frameAt(event));
    this.scroll.follow(event.clientX);
  }

  private frameAt(event: PointerEvent): number {
    const box = this.element.getBoundingClientRect();
    return frameFromX(event.clientX - box.left, this.document.view, box.width);
  }

  private snap(drag: Drag, frame: number): number {
    return this.document.snapping.snap(this.app, this.document, frame, drag.snaps);
  }

  private dragTo(frame: number): void {
    const { drag } = this;
    if (!drag || drag.hold === 'gain' || this.document.tracks.drop) return;
    this.clips.drag = draggedClip(this.clips.all, drag.clip, drag.hold, frame - drag.from, { shift: drag.shift, snap: (at) => this.snap(drag, at) });
  }

  /** Shows where the clip would come to lie in another track. */
  private over(drag: Drag, track: number, frame: number): void {
    this.scroll.rest();
    this.clips.drag = null;
    const start = Math.max(0, Math.round(this.snap(drag, drag.clip.start + frame - drag.from)));
    this.document.tracks.drop = { track, start, end: start + drag.clip.frames };
  }

  up(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    event.stopPropagation();
    const line = this.document.snapping.line;
    const { drop } = this.document.tracks;
    this.rest();
    if (drop) {
      const range = { start: drag.clip.start, end: drag.clip.end };
      return void this.app.notices.attempt(() => this.document.tracks.edit({ kind: 'send', track: drop.track, at: drop.start, range }));
    }
    if (!drag.moved) {
      if (drag.hold === 'move') this.select(drag.clip);
      return;
    }
    const made = this.clips.drag;
    if (!made?.edit) return this.abandon();
    void this.app.notices.attempt(async () => this.clips.edit(drag.clip.index, await this.toZero(drag, made.edit!, line === null)));
  }

  /** A trimmed edge that snapped to nothing goes to a zero crossing, if that is wanted. */
  private async toZero(drag: Drag, edit: ClipEdit, free: boolean): Promise<ClipEdit> {
    if (edit.kind !== 'start' && edit.kind !== 'end') return edit;
    const edge = edit.kind === 'start' ? drag.clip.start : drag.clip.end;
    const at = edge + edit.by;
    // Sound that is revealed is not in the document yet.
    if (at < drag.clip.start || at > drag.clip.end) return edit;
    const [crossing] = await this.document.snapping.toZero(this.app, [at], drag.snaps && free);
    return crossing === undefined ? edit : { ...edit, by: crossing - edge };
  }

  private rest(): void {
    this.drag = null;
    this.scroll.rest();
    this.document.tracks.drop = null;
    this.document.snapping.rest();
    window.removeEventListener('keydown', this.escape, true);
  }

  /** Leaves what is dragged as it was. */
  abandon(): void {
    this.rest();
    this.nudged = 0;
    this.clips.drag = null;
  }

  select(clip: PlacedClip): void {
    this.document.commitSelection(selectionOf(clip));
  }

  /** Selects the clip for its menu; a cursor that is in it stays. */
  menu(clip: PlacedClip): void {
    const { cursor } = this.document;
    this.select(clip);
    if (cursor > clip.start && cursor < clip.end) this.document.setCursor(cursor);
  }

  edit(clip: PlacedClip, edit: ClipEdit): void {
    void this.app.notices.attempt(() => this.clips.edit(clip.index, edit));
  }

  /** Whether the key meant something on a clip. */
  key(event: KeyboardEvent, clip: PlacedClip): boolean {
    if (event.altKey || event.metaKey) return false;
    const sideways = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    const upwards = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (sideways !== 0 && event.shiftKey) this.nudge(clip, event.ctrlKey ? 'start' : 'end', sideways);
    else if (event.ctrlKey) return false;
    else if (sideways !== 0) this.step(clip, sideways);
    else if (upwards !== 0) this.turn(clip, upwards * STEP_DB);
    else if (event.key === 'Enter') this.select(clip);
    else return false;
    return true;
  }

  /** Moves an edge by a little; it is made so once the keys are let go. */
  private nudge(clip: PlacedClip, hold: 'start' | 'end', direction: number): void {
    if (this.clips.drag?.hold !== hold) this.nudged = 0;
    this.nudged += direction * STEP_PX * pixel(this.document.view, this.element.clientWidth);
    this.clips.drag = draggedClip(this.clips.all, clip, hold, this.nudged, { shift: false, snap: (frame) => frame });
  }

  /** Makes a nudge by keys so. */
  settle(): void {
    const made = this.clips.drag;
    if (this.drag || !made || this.nudged === 0) return;
    this.nudged = 0;
    if (made.edit) this.edit(made.clip, made.edit);
    else this.clips.drag = null;
  }

  private turn(clip: PlacedClip, by: number): void {
    const { edit } = turnedClip(clip, by);
    if (edit) this.edit(clip, edit);
  }

  /** Goes to the next clip, which takes the focus. */
  private step(clip: PlacedClip, by: 1 | -1): void {
    const sounding = this.clips.all.filter((each) => each.source !== null);
    const next = sounding[sounding.findIndex((each) => each.index === clip.index) + by];
    if (!next) return;
    this.select(next);
    requestAnimationFrame(() => this.element.querySelector<HTMLElement>(`button[data-about="${next.index}"]`)?.focus({ preventScroll: true }));
  }
}
