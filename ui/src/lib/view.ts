// The visible part of a recording: zoom, scroll and the way between frames and pixels.

import type { FrameRange } from '../bindings';
import { clamp } from './scale';

/** The fewest frames a lane shows. */
export const MIN_FRAMES = 12;

export const span = (view: FrameRange): number => view.end - view.start;
export const xFromFrame = (frame: number, view: FrameRange, width: number): number =>
  ((frame - view.start) / span(view)) * width;
export const frameFromX = (x: number, view: FrameRange, width: number): number =>
  view.start + (x / Math.max(1, width)) * span(view);

/** A place in CSS pixels, brought to whole pixels of the screen. */
export function snapped(px: number): number {
  const ratio = window.devicePixelRatio || 1;
  return Math.round(px * ratio) / ratio;
}

/** Brings a view into the recording without changing its length where that is possible. */
export function fitted(view: FrameRange, frames: number): FrameRange {
  const total = Math.max(frames, MIN_FRAMES);
  const length = clamp(span(view), MIN_FRAMES, total);
  const start = clamp(view.start, 0, total - length);
  return { start, end: start + length };
}

export const whole = (frames: number): FrameRange => fitted({ start: 0, end: frames }, frames);

/** Zooms so that the frame under `anchor` (0..1 of the width) stays under it; `factor` < 1 shows less. */
export function zoomed(view: FrameRange, factor: number, anchor: number, frames: number): FrameRange {
  const total = Math.max(frames, MIN_FRAMES);
  const length = clamp(span(view) * factor, MIN_FRAMES, total);
  const fixed = view.start + span(view) * anchor;
  return fitted({ start: fixed - length * anchor, end: fixed + length * (1 - anchor) }, frames);
}

export function scrolled(view: FrameRange, byFrames: number, frames: number): FrameRange {
  return fitted({ start: view.start + byFrames, end: view.end + byFrames }, frames);
}

/** The selection with a little air on both sides. */
export function aroundSelection(selection: FrameRange, frames: number): FrameRange {
  const air = (selection.end - selection.start) * 0.04;
  return fitted({ start: selection.start - air, end: selection.end + air }, frames);
}

/** Turns a page when the play head leaves the view; none while it is inside. */
export function followed(view: FrameRange, head: number, frames: number): FrameRange | null {
  if (head >= view.start && head < view.end) return null;
  const start = head - span(view) * 0.05;
  return fitted({ start, end: start + span(view) }, frames);
}

/** Two frames as a selection, in order and inside the recording; none when nothing lies between. */
export function selectionBetween(a: number, b: number, frames: number): FrameRange | null {
  const start = clamp(Math.round(Math.min(a, b)), 0, frames);
  const end = clamp(Math.round(Math.max(a, b)), 0, frames);
  return end > start ? { start, end } : null;
}
