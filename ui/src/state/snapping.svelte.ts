// Snapping while something is dragged over time: to what, whether, and the line that shows it.

import type { Backend } from '../backend';
import type { SnapSettings } from '../bindings';
import { isMac } from '../lib/keys';
import { snapPlace } from '../lib/snap';
import type { App } from './app.svelte';
import type { DocumentState } from './document.svelte';

export class Snapping {
  /** The frame to which a drag snaps now; none while it does not. */
  line: number | null = $state(null);

  constructor(
    private readonly backend: Backend,
    private readonly document: number,
  ) {}

  /** Brings a dragged frame to where it snaps, and shows it. */
  snap(app: App, document: DocumentState, frame: number, on: boolean, without: number | null = null): number {
    const found = on
      ? snapPlace(frame, app.settings.now.snap, { view: document.view, rate: document.data.rate, frames: document.data.frames, width: document.laneWidth, joins: document.data.joins, markers: document.markers.all, display: app.settings.now.spectrogram.display }, without)
      : null;
    this.line = found;
    return found ?? frame;
  }

  /** Nothing is dragged any more. */
  rest(): void {
    this.line = null;
  }

  /** The nearest zero crossings of frames that snapped to nothing else. */
  async toZero(app: App, frames: number[], on: boolean): Promise<number[]> {
    if (!on || !app.settings.now.snap.zero_crossings || frames.length === 0) return frames;
    return this.backend.call('editor.zero_crossings', { document: this.document, frames });
  }
}

/** Whether a drag snaps: as the setting says, or with Ctrl held the other way. */
export const snaps = (app: App, event: { ctrlKey: boolean; metaKey: boolean }, held = false): boolean => app.settings.now.snap.on !== ((isMac() ? event.metaKey : event.ctrlKey) && !held);

/** Turns snapping, or one of its targets, on or off. */
export function toggleSnap(app: App, what: keyof SnapSettings): unknown {
  const { snap } = app.settings.now;
  return app.settings.save({ snap: { ...snap, [what]: !snap[what] } });
}
