// The placement of markers: in order, in rows without overlap, and on the screen.

import type { FrameRange, MarkerView } from '../bindings';
import { clamp } from './scale';
import { span, xFromFrame } from './view';

/** The most rows; if more markers overlap, the last row has several on top of one another. */
const MOST_ROWS = 3;
/** Markers closer than this are drawn as one. */
export const APART_PX = 3;
/** The least room for a legible name. */
const NAME_PX = 18;
/** From the line of a marker to its name. */
const FLAG_PX = 9;

export const isRegion = (marker: MarkerView): boolean => marker.end_frame !== null;
export const endOf = (marker: MarkerView): number => marker.end_frame ?? marker.start_frame;
export const inOrder = (markers: readonly MarkerView[]): MarkerView[] => [...markers].sort((a, b) => a.start_frame - b.start_frame || a.id - b.id);

/** The markers that lie wholly in a selection. */
export const within = (markers: readonly MarkerView[], selection: FrameRange | null): MarkerView[] =>
  selection === null ? [] : markers.filter((marker) => marker.start_frame >= selection.start && (marker.end_frame === null ? marker.start_frame < selection.end : marker.end_frame <= selection.end));

/** The first marker that begins after a frame, or the last before it; null if there is none. */
export function neighbourOf(markers: readonly MarkerView[], frame: number, step: 1 | -1): MarkerView | null {
  const from = Math.round(frame);
  return (step > 0 ? markers.find((marker) => marker.start_frame > from) : markers.findLast((marker) => marker.start_frame < from)) ?? null;
}

/** The marker at a frame: one that begins there, otherwise the shortest region around it. */
export function markerAt(markers: readonly MarkerView[], frame: number): MarkerView | null {
  const at = Math.round(frame);
  const around = markers.filter((marker) => marker.start_frame <= at && at < endOf(marker));
  const shortest = around.reduce<MarkerView | null>((best, each) => (best === null || endOf(each) - each.start_frame < endOf(best) - best.start_frame ? each : best), null);
  return markers.find((marker) => marker.start_frame === at) ?? shortest;
}

/** The markers with these words in their names or comments. */
export function matching(markers: readonly MarkerView[], words: string): MarkerView[] {
  const wanted = words.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return wanted.length === 0 ? [...markers] : markers.filter(({ name, note }) => wanted.every((word) => `${name} ${note}`.toLocaleLowerCase().includes(word)));
}

/** The row of each marker, from the lowest up, and how many rows there are: each goes to the first that has room. */
export function rowsOf(markers: readonly MarkerView[]): { rows: Map<number, number>; count: number } {
  const rows = new Map<number, number>();
  const ends: number[] = [];
  for (const marker of inOrder(markers)) {
    let row = ends.findIndex((end) => end <= marker.start_frame);
    if (row < 0) row = Math.min(ends.length, MOST_ROWS - 1);
    ends[row] = Math.max(ends[row] ?? 0, endOf(marker), marker.start_frame + 1);
    rows.set(marker.id, row);
  }
  return { rows, count: ends.length };
}

export interface PlacedMarker {
  marker: MarkerView;
  row: number;
  /** Where its start is, in pixels. */
  x: number;
  /** The visible part of a region, from `left` on; none for a place. */
  left: number;
  width: number | null;
  /** The room for its name; 0 if there is none. */
  room: number;
}

/** The visible markers of a strip, from left to right. `kept` is drawn however close it is to another. */
export function placed(markers: readonly MarkerView[], rows: Map<number, number>, view: FrameRange, width: number, kept: number | null): PlacedMarker[] {
  const shown: PlacedMarker[] = [];
  const last = new Map<number, PlacedMarker>();
  for (const marker of markers) {
    if (endOf(marker) < view.start || marker.start_frame > view.end) continue;
    const row = rows.get(marker.id) ?? 0;
    const x = xFromFrame(marker.start_frame, view, width);
    const before = last.get(row);
    if (before && x - before.x < APART_PX && marker.id !== kept && before.width === null && marker.end_frame === null) continue;
    const left = Math.max(0, x);
    const item: PlacedMarker = { marker, row, x, left, width: marker.end_frame === null ? null : Math.max(APART_PX, Math.min(width, xFromFrame(marker.end_frame, view, width)) - left), room: 0 };
    item.room = item.width === null ? width - x - FLAG_PX : item.width - 8;
    if (before?.width === null) before.room = Math.min(before.room, x - before.x - FLAG_PX - 2);
    last.set(row, item);
    shown.push(item);
  }
  for (const item of shown) if (item.room < NAME_PX) item.room = 0;
  return shown;
}

/** The lines of markers through the lanes, in pixels, without those too close to one another. */
export function linesOf(markers: readonly MarkerView[], view: FrameRange, width: number): { x: number; region: boolean }[] {
  const found: { x: number; region: boolean }[] = [];
  for (const marker of markers) {
    for (const frame of marker.end_frame === null ? [marker.start_frame] : [marker.start_frame, marker.end_frame]) {
      if (frame >= view.start && frame <= view.end) found.push({ x: xFromFrame(frame, view, width), region: isRegion(marker) });
    }
  }
  found.sort((a, b) => a.x - b.x);
  return found.filter(({ x }, index) => index === 0 || x - (found[index - 1]?.x ?? 0) >= 1);
}

export type MarkerPart = 'start' | 'end' | 'all';

/** The result of dragging a part of a marker by a number of frames. */
export function dragged(marker: MarkerView, part: MarkerPart, byFrames: number, frames: number): MarkerView {
  const by = Math.round(byFrames);
  const { start_frame: start, end_frame: end } = marker;
  if (end === null) return { ...marker, start_frame: clamp(start + by, 0, frames) };
  if (part === 'start') return { ...marker, start_frame: clamp(start + by, 0, end - 1) };
  if (part === 'end') return { ...marker, end_frame: clamp(end + by, start + 1, frames) };
  const moved = clamp(by, -start, frames - end);
  return { ...marker, start_frame: start + moved, end_frame: end + moved };
}

/** A pixel in frames, at least one. */
export const nudge = (view: FrameRange, width: number): number => Math.max(1, Math.round(span(view) / Math.max(1, width)));

/** A name that no marker has yet: a number behind a word. */
export function freshName(markers: readonly MarkerView[], region: boolean, name: (number: number) => string): string {
  const taken = new Set(markers.map((marker) => marker.name));
  let number = markers.filter((marker) => isRegion(marker) === region).length + 1;
  while (taken.has(name(number))) number++;
  return name(number);
}
