// Individual samples: as a line, and at higher zoom as the reconstructed curve with a dot on each.

import type { SampleBlock } from '../backend';
import type { FrameRange, LaneChannels } from '../bindings';
import type { Surface } from './canvas';
import type { ColumnPainter } from './column-image';
import { span } from '../lib/view';
import { interpolate } from './sinc';
import { SAMPLE_TILE_FRAMES, type SampleTile, type TileCache } from './tiles';

/** Below this many frames per CSS pixel, the reconstructed curve is drawn. */
const CURVE_BELOW = 0.5;
/** Below this many frames per CSS pixel, dots are added. */
const DOTS_BELOW = 0.2;

/** Above this many frames per CSS pixel, an envelope of peaks is drawn. */
const SAMPLES_BELOW = 3;

/** Whether a view is zoomed in enough to draw individual samples. */
export const showsSamples = (view: FrameRange, cssWidth: number): boolean => span(view) / Math.max(1, cssWidth) <= SAMPLES_BELOW;

/** Returns a function for the value of a lane at an index of a block. */
export function laneValue(channels: LaneChannels, lane: number): (block: SampleBlock, index: number) => number {
  const of = (block: SampleBlock, channel: number, index: number): number => block.data[channel]?.[index] ?? 0;
  if (channels !== 'mid_side') return (block, index) => of(block, lane, index);
  const sign = lane === 0 ? 1 : -1;
  return (block, index) => (of(block, 0, index) + sign * of(block, 1, index)) / 2;
}

export interface SampleRun {
  /** Whether some are of the previous sound. */
  old: boolean;
  first: number;
  last: number;
  frames: number;
  tiles: SampleTile[];
}

/** The samples of a view with a margin at both edges; null while some are missing. */
export function samplesIn(cache: TileCache, view: FrameRange): SampleRun | null {
  const margin = 16;
  const first = Math.max(0, Math.floor(view.start) - margin);
  const last = Math.min(cache.frames - 1, Math.ceil(view.end) + margin);
  const tiles: SampleTile[] = [];
  let missing = false;
  for (let index = Math.floor(first / SAMPLE_TILE_FRAMES); index <= Math.floor(last / SAMPLE_TILE_FRAMES); index++) {
    const tile = cache.findSamples(index * SAMPLE_TILE_FRAMES);
    if (tile) tiles.push(tile);
    else missing = true;
  }
  return missing ? null : { old: tiles.some((tile) => cache.isOld(tile)), first, last, frames: cache.frames, tiles };
}

/** A trace in a lane with zero at `middle` and full scale `half` above it. */
export class Trace {
  private readonly framesPerPx: number;

  constructor(
    private readonly target: Surface,
    private readonly run: SampleRun,
    private readonly valueOf: (block: SampleBlock, index: number) => number,
    private readonly view: FrameRange,
    private readonly lane: { middle: number; half: number; zoom: number },
    /** The colour of its dots, if it has any. */
    private readonly dots: string | undefined,
    private readonly part: { from?: number; to?: number } = {},
  ) {
    this.framesPerPx = span(view) / target.width;
  }

  /**
   * The line as rectangles one pixel wide, antialiased at the ends. With software rendering, a stroke that goes up and
   * down in every pixel takes a tenth of a second.
   */
  painter(ink: number): ColumnPainter {
    const { view, run, framesPerPx } = this;
    const thick = 1.25 * this.target.ratio;
    const from = Math.floor(Math.max(0, this.x(0)));
    const to = Math.min(this.target.width, this.x(run.frames - 1));
    const curve = framesPerPx * this.target.ratio <= CURVE_BELOW;
    const at = (frame: number) => this.at(frame);
    const value = curve ? (position: number) => interpolate(at, position) : (position: number) => between(at, position);
    return (column, runs) => {
      if (column < from || column >= to) return;
      const extent = new Extent();
      const start = view.start + column * framesPerPx;
      const end = start + framesPerPx;
      extent.add(this.y(value(start)));
      // The curve may peak between two samples; the midpoint is close enough where they are a few pixels apart.
      if (curve) extent.add(this.y(value(start + framesPerPx / 2)));
      for (let frame = Math.ceil(start); frame < end; frame++) extent.add(this.y(at(frame)));
      extent.add(this.y(value(Math.min(end, run.frames - 1))));
      // As tall as a stroke at this slope, but at most half its thickness beyond an extreme.
      const tall = thick * Math.hypot(1, extent.most - extent.least);
      const middle = (extent.most + extent.least) / 2;
      runs.fill(Math.max(middle - tall / 2, extent.least - thick / 2), Math.min(middle + tall / 2, extent.most + thick / 2), ink);
    };
  }

  /** Draws a dot on each sample, where they are far enough apart. */
  drawDots(): void {
    const { context, ratio, width } = this.target;
    if (this.dots === undefined) return;
    const [first, end] = [(this.part.from ?? 0) * width, (this.part.to ?? 1) * width];
    const framesPerCssPx = this.framesPerPx * ratio;
    if (framesPerCssPx > DOTS_BELOW) return;
    const radius = Math.min(3.5, 0.8 + 0.28 / framesPerCssPx) * ratio;
    context.fillStyle = this.dots;
    for (let frame = Math.max(0, Math.floor(this.view.start)); frame <= this.run.last; frame++) {
      if (this.x(frame) < first || this.x(frame) > end) continue;
      // Filled one by one: with software rendering a single path is much slower.
      context.beginPath();
      context.arc(this.x(frame), this.y(this.at(frame)), radius, 0, Math.PI * 2);
      context.fill();
    }
  }

  private at(frame: number): number {
    const { tiles } = this.run;
    const tile = tiles[Math.floor((frame - (tiles[0]?.startFrame ?? 0)) / SAMPLE_TILE_FRAMES)];
    return tile ? this.valueOf(tile.block, frame - tile.startFrame) : 0;
  }

  private x(frame: number): number {
    return (frame - this.view.start) / this.framesPerPx;
  }

  private y(value: number): number {
    return this.lane.middle - Math.max(-1.05, Math.min(1.05, value * this.lane.zoom)) * this.lane.half;
  }
}

/** Interpolates linearly between two samples. */
function between(at: (frame: number) => number, position: number): number {
  const frame = Math.floor(position);
  const value = at(frame);
  return position === frame ? value : value + (at(frame + 1) - value) * (position - frame);
}

/** The vertical extent of a line within one column. */
class Extent {
  least = Infinity;
  most = -Infinity;

  add(y: number): void {
    if (y < this.least) this.least = y;
    if (y > this.most) this.most = y;
  }
}
