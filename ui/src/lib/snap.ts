// Snapping of dragged places.

import type { FrameRange, MarkerView, SnapSettings } from '../bindings';
import { endOf } from './markers';
import { rulerTicks, type TimeDisplay } from './time-ruler';
import { span } from './view';

export const SNAP_PX = 8;

export interface SnapSource {
  view: FrameRange;
  rate: number;
  frames: number;
  /** Width of the lanes in pixels. */
  width: number;
  joins: readonly number[];
  markers: readonly MarkerView[];
  display: TimeDisplay;
}

/** The beats near a frame. */
function beatsAround(frame: number, rate: number, { bpm }: TimeDisplay): number[] {
  const beat = (60 * rate) / bpm;
  const index = Math.round(frame / beat);
  return [index * beat];
}

/** The frame that a place snaps to; null if none is near. `without` is the marker being dragged. */
export function snapPlace(frame: number, settings: SnapSettings, source: SnapSource, without: number | null = null): number | null {
  const { view, rate, frames, width, joins, markers, display } = source;
  const reach = (SNAP_PX / Math.max(1, width)) * span(view);
  const near: number[] = [];
  const offer = (place: number): void => {
    if (Math.abs(place - frame) <= reach && place >= 0 && place <= frames) near.push(Math.round(place));
  };
  if (settings.clips) [0, ...joins, frames].forEach(offer);
  if (settings.markers) {
    for (const marker of markers) {
      if (marker.id === without) continue;
      offer(marker.start_frame);
      offer(endOf(marker));
    }
  }
  // Clips and markers take precedence over ticks and beats, which are everywhere.
  if (near.length === 0 && settings.ruler) rulerTicks(view, rate, width, display).forEach((tick) => offer(tick.frame));
  if (near.length === 0 && settings.beats) beatsAround(frame, rate, display).forEach(offer);
  return near.reduce<number | null>((best, each) => (best === null || Math.abs(each - frame) < Math.abs(best - frame) ? each : best), null);
}
