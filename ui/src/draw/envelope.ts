// The envelope of a channel: the range of peaks in each column, its RMS inside, and marks where it exceeds full scale.

import type { FrameRange } from '../bindings';
import type { Surface } from './canvas';
import type { ColumnPainter } from './column-image';
import { faded, inkOf } from './ink';
import { TileCache, type Found, type Tile } from './tiles';
import type { WaveColours } from './wave-colours';

/** States of a column: unknown, up to date, or of the previous sound. */
const NOTHING = 0;
const NOW = 1;
const BEFORE = 2;

/** The columns of a picture; grown with the window, never reallocated for a frame. */
interface Columns {
  low: Float32Array;
  high: Float32Array;
  mean: Float32Array;
  known: Uint8Array;
}

/** By layer and channel. */
const held: Columns[][] = [];

function columnsFor(layer: number, channel: number, width: number): Columns {
  const of = (held[layer] ??= []);
  let columns = of[channel];
  if (!columns || columns.low.length < width) {
    columns = { low: new Float32Array(width), high: new Float32Array(width), mean: new Float32Array(width), known: new Uint8Array(width) };
    of[channel] = columns;
  }
  return columns;
}

export interface EnvelopeLane {
  top: number;
  height: number;
  /** The factor by which levels are magnified. */
  zoom: number;
}

export interface Envelope {
  paint: ColumnPainter;
  /** The outline alone, drawn over the layer in front. */
  outline: ColumnPainter;
  exact: boolean;
  /** Whether part of it is of an earlier sound or unknown. */
  old: boolean;
}

/** Makes the painters of a channel's envelope in a lane, valid until the next call for that layer and channel. */
export function envelopeOf(
  target: Surface,
  cache: TileCache,
  view: FrameRange,
  { layer, channel }: { layer: number; channel: number },
  lane: EnvelopeLane,
  colours: WaveColours,
): Envelope {
  const columns = columnsFor(layer, channel, target.width);
  const state = collect(columns, cache, view, target.width, channel);
  join(columns, target.width);
  return { ...painters(columns, target, lane, colours), ...state };
}

// Extremes, sum of squares and count of a tile's columns between two frames; kept here to avoid allocating per column.
let least = Infinity;
let most = -Infinity;
let square = 0;
let count = 0;

function gather({ block, framesPerColumn, startFrame }: Tile, channel: number, from: number, to: number): void {
  least = Infinity;
  most = -Infinity;
  square = 0;
  count = 0;
  const minima = block.min[channel];
  const maxima = block.max[channel];
  const rms = block.rms[channel];
  if (!minima || !maxima || !rms) return;
  const first = Math.floor((from - startFrame) / framesPerColumn);
  const last = Math.max(first, Math.ceil((to - startFrame) / framesPerColumn) - 1);
  for (let column = first; column <= last && column < block.columns; column++) {
    const a = minima[column] ?? NaN;
    const b = maxima[column] ?? NaN;
    const r = rms[column] ?? 0;
    // Still unknown.
    if (a !== a || b !== b) continue;
    if (a < least) least = a;
    if (b > most) most = b;
    square += r * r;
    count++;
  }
}

/** Gathers the columns of one channel. */
function collect({ low, high, mean, known }: Columns, cache: TileCache, view: FrameRange, width: number, channel: number): { exact: boolean; old: boolean } {
  const framesPerPx = (view.end - view.start) / width;
  const level = TileCache.levelFor(framesPerPx);
  let exact = true;
  let anyOld = false;
  let found: Found = { tile: null, right: false, old: false };
  let tileEnd = -Infinity;
  for (let x = 0; x < width; x++) {
    const from = view.start + x * framesPerPx;
    known[x] = NOTHING;
    if (from < 0 || from >= cache.frames) continue;
    if (from >= tileEnd || !found.tile || from < found.tile.startFrame) {
      found = cache.find(level, from);
      tileEnd = found.tile ? found.tile.startFrame + found.tile.block.columns * found.tile.framesPerColumn : from;
      exact &&= found.right;
    }
    const { tile } = found;
    if (!tile) {
      exact = false;
      anyOld = true;
      continue;
    }
    gather(tile, channel, from, from + framesPerPx);
    let is = found.old ? BEFORE : NOW;
    if (count === 0 && tile.before) {
      gather(tile.before, channel, from, from + framesPerPx);
      is = BEFORE;
    }
    if (count === 0 || is === BEFORE) anyOld = true;
    if (count === 0) continue;
    low[x] = least;
    high[x] = most;
    mean[x] = Math.sqrt(square / count);
    known[x] = is;
  }
  return { exact, old: anyOld };
}

/** Lets neighbouring columns touch, so that a steep slope is a line and not a row of dashes. */
function join({ low, high, known }: Columns, width: number): void {
  for (let x = width - 1; x > 0; x--) {
    if (!known[x] || known[x] !== known[x - 1]) continue;
    const before = x - 1;
    if ((low[x] ?? 0) > (high[before] ?? 0)) low[x] = high[before] ?? 0;
    else if ((high[x] ?? 0) < (low[before] ?? 0)) high[x] = low[before] ?? 0;
  }
}

function painters({ low, high, mean, known }: Columns, target: Surface, lane: EnvelopeLane, colours: WaveColours): { paint: ColumnPainter; outline: ColumnPainter } {
  const { context, width, ratio } = target;
  // Indexed by the state of a column.
  const both = (colour: string): number[] => {
    const ink = inkOf(context, colour);
    return [0, ink, faded(ink)];
  };
  const peaks = both(colours.peak);
  const cores = colours.core === undefined ? null : both(colours.core);
  const outlines = colours.outline === undefined ? null : both(colours.outline);
  const clips = colours.clip === undefined ? null : both(colours.clip);
  const middle = lane.top + lane.height / 2;
  const half = lane.height / 2 - ratio;
  const thin = Math.max(1, ratio * 0.5) / 2;
  const edge = Math.max(1, Math.round(ratio));
  const mark = Math.round(3 * ratio);
  const bottom = lane.top + lane.height;
  const y = (value: number) => middle - Math.max(-1.02, Math.min(1.02, value * lane.zoom)) * half;
  const upperOf = (x: number) => Math.round(y(high[x] as number) - thin);
  const lowerOf = (x: number) => Math.round(y(low[x] as number) + thin);
  /** A mark is two pixels wide, covering half of each neighbour. */
  const marks: ColumnPainter = (x, runs) => {
    if (!clips) return;
    for (let at = Math.max(0, x - 1); at <= x + 1 && at < width; at++) {
      const is = known[at] as number;
      if (is === NOTHING) continue;
      const share = at === x ? 1 : 0.5;
      if ((high[at] as number) >= 1) runs.fill(lane.top, lane.top + mark, clips[is] as number, share);
      if ((low[at] as number) <= -1) runs.fill(bottom - mark, bottom, clips[is] as number, share);
    }
  };
  const outline: ColumnPainter = (x, runs) => {
    const is = known[x] as number;
    if (is === NOTHING || !outlines) return;
    const upper = upperOf(x);
    const lower = Math.max(upper + 1, lowerOf(x));
    // Extends to the column before, so that the line does not break on slopes.
    const before = x > 0 && known[x - 1] ? x - 1 : x;
    const upperBefore = upperOf(before);
    const lowerBefore = lowerOf(before);
    const above = Math.min(upper, upperBefore);
    runs.fill(above, above + Math.max(edge, Math.abs(upper - upperBefore)), outlines[is] as number);
    const below = Math.min(lower, lowerBefore) - edge;
    runs.fill(below, below + Math.max(edge, Math.abs(lower - lowerBefore)), outlines[is] as number);
  };
  const paint: ColumnPainter = (x, runs) => {
    const is = known[x] as number;
    if (is !== NOTHING) {
      // On whole pixels, so that still parts do not flicker.
      const upper = upperOf(x);
      const lower = Math.max(upper + 1, lowerOf(x));
      runs.fill(upper, lower, peaks[is] as number);
      const rms = mean[x] as number;
      if (cores) runs.fill(Math.round(y(Math.min(rms, high[x] as number))), Math.round(y(Math.max(-rms, low[x] as number))), cores[is] as number);
      if (!colours.over) outline(x, runs);
    }
    marks(x, runs);
  };
  return { paint, outline };
}
