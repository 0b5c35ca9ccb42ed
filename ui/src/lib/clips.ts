// Clips of a document: their places, hit testing, and the results of drags.

import type { ClipEdit, ClipView, FadeShape, FrameRange } from '../bindings';
import { clamp } from './scale';
import { span, xFromFrame } from './view';

/** A clip with its place in the document. */
export interface PlacedClip extends ClipView {
  index: number;
  start: number;
  end: number;
}

/** The part or property of a clip that is dragged. */
export type ClipHold = 'move' | 'start' | 'end' | 'fade_in' | 'fade_out' | 'gain' | 'crossfade';

export const MOST_GAIN_DB = 24;
export const LEAST_GAIN_DB = -60;
/** Narrower clips have no handles. */
export const HANDLES_PX = 28;
/** Narrower clips are not drawn. */
const LEAST_PX = 3;

export function placedClips(clips: readonly ClipView[]): PlacedClip[] {
  let end = 0;
  return clips.map((clip, index) => {
    const start = end;
    end += clip.frames;
    return { ...clip, index, start, end };
  });
}

/** A recording without edits as a single clip. */
export const wholeClip = (frames: number): PlacedClip => ({
  index: 0,
  start: 0,
  end: frames,
  source: 0,
  frames,
  gain_db: 0,
  fade_in: 0,
  fade_out: 0,
  reversed: false,
  before: 0,
  after: 0,
  crossfade: { frames: 0, shape: 'equal_power' },
  continues: false,
  fades_before: 0,
  fades_after: 0,
});

export const isSound = (clip: PlacedClip): boolean => clip.source !== null;

/** Whether the join at its start has a cross-fade, or could have one. */
export const isJoin = (clip: PlacedClip): boolean => clip.index > 0 && !clip.continues;

/** The clip at a frame; the last one includes its end. */
export const clipAt = (clips: readonly PlacedClip[], frame: number): PlacedClip | null => clips.find((clip) => frame >= clip.start && frame < clip.end) ?? clips.at(-1) ?? null;

/** The join nearest to a frame where the sound does not continue, as the clip that begins there. */
export function nearestJoin(clips: readonly PlacedClip[], frame: number): PlacedClip | null {
  return clips.filter(isJoin).reduce<PlacedClip | null>((best, each) => (best === null || Math.abs(each.start - frame) < Math.abs(best.start - frame) ? each : best), null);
}

/** The next edge of a clip after a frame, or the last before it. */
export function nextEdge(clips: readonly PlacedClip[], frame: number, step: 1 | -1): number | null {
  const edges = [0, ...clips.map((clip) => clip.end)];
  return (step > 0 ? edges.find((edge) => edge > frame) : edges.findLast((edge) => edge < frame)) ?? null;
}

/** The place of a clip dragged by some frames; null if it stays. Without `into`, it does not split a clip of sound. */
export function dropOf(clips: readonly PlacedClip[], clip: PlacedClip, by: number, into: boolean): number | null {
  const last = clips.at(-1)?.end ?? 0;
  const place = clamp(Math.round(by < 0 ? clip.start + by : clip.end + by), 0, last);
  if (place >= clip.start && place <= clip.end) return null;
  const under = clipAt(clips, place);
  if (!under || !isSound(under) || into) return place;
  const edge = place - under.start < under.end - place ? under.start : under.end;
  return edge >= clip.start && edge <= clip.end ? null : edge;
}

/** A clip as a drag shows it, with the edit that applies it; the edit is null while nothing would change. */
export interface ClipDrag {
  hold: ClipHold;
  /** The resulting clip. */
  clip: PlacedClip;
  edit: ClipEdit | null;
  /** The frame that follows the pointer, where there is one. */
  at: number | null;
}

export interface DragOptions {
  /** Edges: the rest moves up. Moving: other clips may be cut. */
  shift: boolean;
  /** Snaps a frame. */
  snap(frame: number): number;
}

const same = (clip: PlacedClip, hold: ClipHold): ClipDrag => ({ hold, clip, edit: null, at: null });

/** The result of dragging a clip by some frames. */
export function draggedClip(clips: readonly PlacedClip[], clip: PlacedClip, hold: Exclude<ClipHold, 'gain'>, by: number, options: DragOptions): ClipDrag {
  const { snap, shift } = options;
  switch (hold) {
    case 'move': {
      // The leading edge snaps.
      const place = snap(by < 0 ? clip.start + by : clip.end + by);
      const to = dropOf(clips, clip, by < 0 ? place - clip.start : place - clip.end, shift);
      if (to === null) return same(clip, hold);
      const start = to < clip.start ? to : to - clip.frames;
      return { hold, clip: { ...clip, start, end: start + clip.frames }, edit: { kind: 'move', to }, at: to };
    }
    case 'start': {
      const start = clamp(Math.round(snap(clip.start + by)), shift ? clip.start - clip.before : Math.max(0, clip.start - clip.before), clip.end - 1);
      return start === clip.start ? same(clip, hold) : { hold, clip: { ...clip, start, frames: clip.end - start }, edit: { kind: 'start', by: start - clip.start, closes: shift }, at: start };
    }
    case 'end': {
      const end = clamp(Math.round(snap(clip.end + by)), clip.start + 1, clip.end + clip.after);
      return end === clip.end ? same(clip, hold) : { hold, clip: { ...clip, end, frames: end - clip.start }, edit: { kind: 'end', by: end - clip.end, closes: shift }, at: end };
    }
    case 'fade_in': {
      const frames = clamp(Math.round(snap(clip.start + clip.fade_in + by)) - clip.start, 0, clip.frames - clip.fade_out);
      return frames === clip.fade_in ? same(clip, hold) : { hold, clip: { ...clip, fade_in: frames }, edit: { kind: 'fade_in', frames }, at: clip.start + frames };
    }
    case 'fade_out': {
      const frames = clamp(clip.end - Math.round(snap(clip.end - clip.fade_out + by)), 0, clip.frames - clip.fade_in);
      return frames === clip.fade_out ? same(clip, hold) : { hold, clip: { ...clip, fade_out: frames }, edit: { kind: 'fade_out', frames }, at: clip.end - frames };
    }
    case 'crossfade': {
      // Both ends move, so that the length changes by twice the distance.
      const before = clips[clip.index - 1];
      const longest = Math.floor(Math.min(before?.frames ?? 0, clip.frames) / 2) * 2;
      const frames = clamp(clip.crossfade.frames + 2 * Math.round(by), 0, longest);
      if (frames === clip.crossfade.frames) return same(clip, hold);
      const half = Math.floor(frames / 2);
      return { hold, clip: { ...clip, crossfade: { ...clip.crossfade, frames }, fades_before: half, fades_after: frames - half }, edit: { kind: 'crossfade', frames, shape: clip.crossfade.shape }, at: null };
    }
  }
}

const rounded = (db: number): number => Math.round(db * 10) / 10;

/** A clip with its gain changed by some decibels. */
export function turnedClip(clip: PlacedClip, by: number): ClipDrag {
  const db = clamp(rounded(clip.gain_db + by), LEAST_GAIN_DB, MOST_GAIN_DB);
  return db === clip.gain_db ? same(clip, 'gain') : { hold: 'gain', clip: { ...clip, gain_db: db }, edit: { kind: 'gain', db }, at: null };
}

/** The height of a clip's gain line, 0..1 from the top. */
export const gainHeight = (db: number): number => (MOST_GAIN_DB - clamp(db, LEAST_GAIN_DB, MOST_GAIN_DB)) / (MOST_GAIN_DB - LEAST_GAIN_DB);
/** Converts a vertical distance in pixels to decibels. */
export const gainOfWay = (px: number, height: number): number => (-px / Math.max(1, height)) * (MOST_GAIN_DB - LEAST_GAIN_DB);

export interface ShownClip {
  clip: PlacedClip;
  /** In pixels. */
  left: number;
  width: number;
  /** Whether there is room for its handles. */
  handles: boolean;
}

/** The visible clips of sound, from left to right, without those too narrow to tell apart. */
export function shownClips(clips: readonly PlacedClip[], view: FrameRange, width: number): ShownClip[] {
  const shown: ShownClip[] = [];
  for (const clip of clips) {
    if (!isSound(clip) || clip.end <= view.start || clip.start >= view.end) continue;
    const left = xFromFrame(clip.start, view, width);
    const wide = xFromFrame(clip.end, view, width) - left;
    if (wide >= LEAST_PX) shown.push({ clip, left, width: wide, handles: wide >= HANDLES_PX });
  }
  return shown;
}

export const selectionOf = (clip: PlacedClip): FrameRange => ({ start: clip.start, end: clip.end });

/** The curve of a fade as points of a polyline, from the silent end at the bottom to the top. */
export function fadeCurve(length: number, height: number, rising: boolean, shape: FadeShape = 'equal_power'): string {
  const POINTS = 12;
  const points: string[] = [];
  for (let i = 0; i <= POINTS; i++) {
    const x = i / POINTS;
    const gain = shape === 'linear' ? x : Math.sin((Math.PI / 2) * x);
    const px = rising ? x * length : (1 - x) * length;
    points.push(`${px.toFixed(1)},${((1 - gain) * height).toFixed(1)}`);
  }
  return points.join(' ');
}

/** A pixel in frames, at least one. */
export const pixel = (view: FrameRange, width: number): number => Math.max(1, Math.round(span(view) / Math.max(1, width)));
