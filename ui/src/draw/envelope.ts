// The envelope of a channel: from its lowest to its highest peak in each column, its RMS inside, and where it passes full scale.

import type { ViewRange } from '../bindings';
import type { Surface } from './canvas';
import type { ColumnPainter } from './column-image';
import { inkOf } from './ink';
import type { Palette } from './palette';
import { TileCache, type Tile } from './tiles';

/** Columns of a picture; grown when the window is, never made anew for a frame. */
interface Columns {
  low: Float32Array;
  high: Float32Array;
  mean: Float32Array;
  known: Uint8Array;
}

const held: Columns[] = [];

function columnsFor(channel: number, width: number): Columns {
  let columns = held[channel];
  if (!columns || columns.low.length < width) {
    columns = { low: new Float32Array(width), high: new Float32Array(width), mean: new Float32Array(width), known: new Uint8Array(width) };
    held[channel] = columns;
  }
  return columns;
}

/** What draws a channel's envelope in a lane, until the next one of that channel is asked for; and whether it is exact. */
export function envelopeOf(
  target: Surface,
  cache: TileCache,
  view: ViewRange,
  channel: number,
  lane: { top: number; height: number },
  palette: Palette,
): { paint: ColumnPainter; exact: boolean } {
  const columns = columnsFor(channel, target.width);
  const exact = collect(columns, cache, view, target.width, channel);
  join(columns, target.width);
  return { paint: painter(columns, target, lane, palette), exact };
}

/** Gathers the columns of one channel. */
function collect({ low, high, mean, known }: Columns, cache: TileCache, view: ViewRange, width: number, channel: number): boolean {
  const framesPerPx = (view.end - view.start) / width;
  const level = TileCache.levelFor(framesPerPx);
  let exact = true;
  let tile: Tile | null = null;
  let right = false;
  let tileEnd = -Infinity;
  for (let x = 0; x < width; x++) {
    const from = view.start + x * framesPerPx;
    known[x] = 0;
    if (from < 0 || from >= cache.frames) continue;
    if (from >= tileEnd || !tile || from < tile.startFrame) {
      ({ tile, right } = cache.find(level, from));
      tileEnd = tile ? tile.startFrame + tile.block.columns * tile.framesPerColumn : from;
      exact &&= right;
    }
    if (!tile) {
      exact = false;
      continue;
    }
    const { block, framesPerColumn, startFrame } = tile;
    const first = Math.floor((from - startFrame) / framesPerColumn);
    const last = Math.max(first, Math.ceil((from + framesPerPx - startFrame) / framesPerColumn) - 1);
    const minima = block.min[channel];
    const maxima = block.max[channel];
    const rms = block.rms[channel];
    if (!minima || !maxima || !rms) continue;
    let least = Infinity;
    let most = -Infinity;
    let square = 0;
    let count = 0;
    for (let column = first; column <= last && column < block.columns; column++) {
      const a = minima[column] ?? 0;
      const b = maxima[column] ?? 0;
      const r = rms[column] ?? 0;
      if (a < least) least = a;
      if (b > most) most = b;
      square += r * r;
      count++;
    }
    if (count === 0) continue;
    low[x] = least;
    high[x] = most;
    mean[x] = Math.sqrt(square / count);
    known[x] = 1;
  }
  return exact;
}

/** Lets neighbouring columns touch, so that a steep slope is a line and not a row of dashes. */
function join({ low, high, known }: Columns, width: number): void {
  for (let x = width - 1; x > 0; x--) {
    if (!known[x] || !known[x - 1]) continue;
    const before = x - 1;
    if ((low[x] ?? 0) > (high[before] ?? 0)) low[x] = high[before] ?? 0;
    else if ((high[x] ?? 0) < (low[before] ?? 0)) high[x] = low[before] ?? 0;
  }
}

function painter({ low, high, mean, known }: Columns, target: Surface, lane: { top: number; height: number }, palette: Palette): ColumnPainter {
  const { context, width, ratio } = target;
  const peak = inkOf(context, palette['original-peak']);
  const core = inkOf(context, palette['original-core']);
  const outline = palette.outline === undefined ? null : inkOf(context, palette.outline);
  const clip = inkOf(context, palette.clip);
  const middle = lane.top + lane.height / 2;
  const half = lane.height / 2 - ratio;
  const least = Math.max(1, ratio * 0.5) / 2;
  const edge = Math.max(1, Math.round(ratio));
  const mark = Math.round(3 * ratio);
  const bottom = lane.top + lane.height;
  const y = (value: number) => middle - Math.max(-1.02, Math.min(1.02, value)) * half;
  const upperOf = (x: number) => Math.round(y(high[x] as number) - least);
  const lowerOf = (x: number) => Math.round(y(low[x] as number) + least);
  /** A mark is two pixels wide: half of each neighbour, too. */
  const marks: ColumnPainter = (x, runs) => {
    for (let at = Math.max(0, x - 1); at <= x + 1 && at < width; at++) {
      if (!known[at]) continue;
      const share = at === x ? 1 : 0.5;
      if ((high[at] as number) >= 1) runs.fill(lane.top, lane.top + mark, clip, share);
      if ((low[at] as number) <= -1) runs.fill(bottom - mark, bottom, clip, share);
    }
  };
  return (x, runs) => {
    if (known[x]) {
      // On whole pixels, so that what does not move does not flicker.
      const upper = upperOf(x);
      const lower = Math.max(upper + 1, lowerOf(x));
      runs.fill(upper, lower, peak);
      const rms = mean[x] as number;
      runs.fill(Math.round(y(Math.min(rms, high[x] as number))), Math.round(y(Math.max(-rms, low[x] as number))), core);
      if (outline !== null) {
        // A slope is as long as the step from the column before, so that the line does not break.
        const before = x > 0 && known[x - 1] ? x - 1 : x;
        const upperBefore = upperOf(before);
        const lowerBefore = lowerOf(before);
        const above = Math.min(upper, upperBefore);
        runs.fill(above, above + Math.max(edge, Math.abs(upper - upperBefore)), outline);
        const below = Math.min(lower, lowerBefore) - edge;
        runs.fill(below, below + Math.max(edge, Math.abs(lower - lowerBefore)), outline);
      }
    }
    marks(x, runs);
  };
}
