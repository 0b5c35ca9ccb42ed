// The waveform of each channel, one lane below the other.

import type { LaneChannels, ViewRange } from '../bindings';
import type { Surface } from './canvas';
import type { ColumnImage } from './column-image';
import { envelopeOf } from './envelope';
import { inkOf } from './ink';
import type { Palette } from './palette';
import { laneValue, samplesIn, showsSamples, Trace } from './samples';
import type { TileCache } from './tiles';

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

/**
 * Draws all lanes in place of what is on the canvas; gives whether everything shown is exact. Of mid and side only samples
 * are drawn: the peaks of left and right bound them so loosely that a recording without any side would seem to have plenty.
 */
export function drawWaveform(
  picture: string,
  image: ColumnImage,
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
    const traces = Array.from({ length: lanes.channels }, (_, channel) => {
      const middle = laneTop(lanes, channel) + lanes.height / 2;
      return new Trace(target, samples, laneValue(channels, channel), view, { middle, half: lanes.height / 2 - target.ratio });
    });
    const ink = inkOf(target.context, palette.outline ?? palette['original-core']);
    image.draw(target, traces.map((trace) => trace.painter(ink)));
    for (const trace of traces) trace.drawDots(palette);
  } else if (channels === 'mid_side') {
    target.context.clearRect(0, 0, target.width, target.height);
    exact = !near;
  } else {
    const envelopes = Array.from({ length: lanes.channels }, (_, channel) => envelopeOf(target, cache, view, channel, { top: laneTop(lanes, channel), height: lanes.height }, palette));
    image.draw(target, envelopes.map(({ paint }) => paint));
    exact = !near && envelopes.every((envelope) => envelope.exact);
  }
  cache.end();
  return exact;
}
