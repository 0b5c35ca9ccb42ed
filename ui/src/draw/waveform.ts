// The waveform of each channel, one lane below the other.

import type { LaneChannels, ViewRange } from '../bindings';
import { drawSamples, laneValue, samplesIn, showsSamples } from './samples';
import { TileCache, type Tile } from './tiles';
import type { Palette } from './palette';
import type { Surface } from './canvas';

export interface Lanes {
  channels: number;
  /** Top of the first lane and height of each, in device pixels. */
  top: number;
  height: number;
  gap: number;
  /** All channels lie over each other in one lane. */
  shared?: boolean;
}

export function lanesOf(channels: number, height: number, gap: number): Lanes {
  const each = Math.max(1, (height - gap * (channels - 1)) / channels);
  return { channels, top: 0, height: each, gap };
}

export const laneTop = (lanes: Lanes, channel: number): number => lanes.top + (lanes.shared ? 0 : channel * (lanes.height + lanes.gap));

// Columns of the picture in hand; grown when the window is, never made anew for a frame.
let low = new Float32Array(0);
let high = new Float32Array(0);
let mean = new Float32Array(0);
let known = new Uint8Array(0);

function reserve(width: number): void {
  if (low.length >= width) return;
  low = new Float32Array(width);
  high = new Float32Array(width);
  mean = new Float32Array(width);
  known = new Uint8Array(width);
}

/**
 * Draws all lanes; gives whether everything shown is exact. Of mid and side only samples are drawn: the peaks of left and
 * right bound them so loosely that a recording without any side would seem to have plenty.
 */
export function drawWaveform(
  picture: string,
  target: Surface,
  cache: TileCache,
  view: ViewRange,
  lanes: Lanes,
  palette: Palette,
  channels: LaneChannels = 'each',
): boolean {
  const near = showsSamples(view, target.width / target.ratio);
  cache.begin(picture);
  // Until the samples are here, their envelope stands in.
  const samples = near ? samplesIn(cache, view) : null;
  let exact = samples !== null;
  if (samples) {
    for (let channel = 0; channel < lanes.channels; channel++) {
      const middle = laneTop(lanes, channel) + lanes.height / 2;
      drawSamples(target, samples, laneValue(channels, channel), view, { middle, half: lanes.height / 2 - target.ratio }, palette);
    }
  } else if (channels === 'mid_side') exact = !near;
  else exact = drawEnvelopes(target, cache, view, lanes, palette) && !near;
  cache.end();
  return exact;
}

function drawEnvelopes(target: Surface, cache: TileCache, view: ViewRange, lanes: Lanes, palette: Palette): boolean {
  let exact = true;
  for (let channel = 0; channel < lanes.channels; channel++) {
    exact = collect(cache, view, target.width, channel) && exact;
    paint(target, lanes, channel, palette);
  }
  return exact;
}

/** Gathers the columns of one channel. */
function collect(cache: TileCache, view: ViewRange, width: number, channel: number): boolean {
  reserve(width);
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

/** Fills known columns from `upper` to `lower`; neighbours that are alike are one rectangle. */
function fillColumns(context: CanvasRenderingContext2D, width: number, upper: (x: number) => number, lower: (x: number) => number): void {
  let start = 0;
  let top = 0;
  let bottom = 0;
  for (let x = 0; x <= width; x++) {
    const seen = x < width && known[x] === 1;
    const from = seen ? upper(x) : 0;
    const to = seen ? lower(x) : 0;
    if (from === top && to === bottom && x < width) continue;
    if (bottom > top) context.fillRect(start, top, x - start, bottom - top);
    start = x;
    top = from;
    bottom = to;
  }
}

/** Peak envelope, RMS inside it, and a red mark wherever full scale is passed. */
function paint(target: Surface, lanes: Lanes, channel: number, palette: Palette): void {
  const { context, width, ratio } = target;
  const top = laneTop(lanes, channel);
  const middle = top + lanes.height / 2;
  const half = lanes.height / 2 - ratio;
  const least = Math.max(1, ratio * 0.5) / 2;
  const y = (value: number) => middle - Math.max(-1.02, Math.min(1.02, value)) * half;
  // Neighbouring columns touch, so that a steep slope is a line and not a row of dashes.
  for (let x = width - 1; x > 0; x--) {
    if (!known[x] || !known[x - 1]) continue;
    const before = x - 1;
    if ((low[x] ?? 0) > (high[before] ?? 0)) low[x] = high[before] ?? 0;
    else if ((high[x] ?? 0) < (low[before] ?? 0)) high[x] = low[before] ?? 0;
  }
  // Rectangles on whole pixels: with software rendering several times faster than one path of them all.
  context.fillStyle = palette['original-peak'];
  const peakTop = (x: number) => Math.round(y(high[x] ?? 0) - least);
  fillColumns(context, width, peakTop, (x) => Math.max(peakTop(x) + 1, Math.round(y(low[x] ?? 0) + least)));
  context.fillStyle = palette['original-core'];
  const rms = (x: number) => mean[x] ?? 0;
  fillColumns(context, width, (x) => Math.round(y(Math.min(rms(x), high[x] ?? 0))), (x) => Math.round(y(Math.max(-rms(x), low[x] ?? 0))));
  if (palette.outline !== undefined) {
    const edge = Math.max(1, Math.round(ratio));
    context.fillStyle = palette.outline;
    for (let x = 0; x < width; x++) {
      if (!known[x]) continue;
      const upper = Math.round(y(high[x] ?? 0) - least);
      const lower = Math.max(upper + 1, Math.round(y(low[x] ?? 0) + least));
      // A slope is as long as the step from the column before, so that the line does not break.
      const before = x > 0 && known[x - 1] ? x - 1 : x;
      const upperBefore = Math.round(y(high[before] ?? 0) - least);
      const lowerBefore = Math.round(y(low[before] ?? 0) + least);
      context.fillRect(x, Math.min(upper, upperBefore), 1, Math.max(edge, Math.abs(upper - upperBefore)));
      context.fillRect(x, Math.min(lower, lowerBefore) - edge, 1, Math.max(edge, Math.abs(lower - lowerBefore)));
    }
  }
  context.fillStyle = palette.clip;
  const mark = Math.round(3 * ratio);
  for (let x = 0; x < width; x++) {
    if (!known[x]) continue;
    if ((high[x] ?? 0) >= 1) context.fillRect(x - 0.5, top, 2, mark);
    if ((low[x] ?? 0) <= -1) context.fillRect(x - 0.5, top + lanes.height - mark, 2, mark);
  }
}
