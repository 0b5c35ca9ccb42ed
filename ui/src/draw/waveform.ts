// The waveform of each channel, in lanes below one another: the audible side, and behind it the other one.

import type { FrameRange, LaneChannels } from '../bindings';
import type { Surface } from './canvas';
import type { ColumnImage, ColumnPainter } from './column-image';
import { envelopeOf } from './envelope';
import { faded, inkOf } from './ink';
import { laneValue, samplesIn, showsSamples, Trace } from './samples';
import type { TileCache } from './tiles';
import type { WaveColours } from './wave-colours';

export interface Lanes {
  channels: number;
  /** Top of the first lane and height of each, in device pixels. */
  top: number;
  height: number;
  gap: number;
  /** Whether all channels are overlaid in one lane. */
  shared?: boolean;
}

export function lanesOf(channels: number, height: number, gap: number): Lanes {
  const each = Math.max(1, (height - gap * (channels - 1)) / channels);
  return { channels, top: 0, height: each, gap };
}

export const laneTop = (lanes: Lanes, channel: number): number => lanes.top + (lanes.shared ? 0 : channel * (lanes.height + lanes.gap));

/** One side in a picture. */
export interface WaveLayer {
  cache: TileCache;
  colours: WaveColours;
  /** Whether it is behind another layer. */
  behind?: boolean;
  /** The part of the width it covers, 0..1. */
  from?: number;
  to?: number;
}

export interface WaveformPicture {
  layers: WaveLayer[];
  view: FrameRange;
  lanes: Lanes;
  /** The factor by which levels are magnified. */
  zoom: number;
  channels?: LaneChannels;
}

/** The accuracy of a picture: whether all of it is exact, and whether part of it is of an earlier sound or unknown. */
export interface Drawn {
  exact: boolean;
  old: boolean;
}

/** Draws all lanes, replacing the canvas content. `picture` is the picture's name in the caches. */
export function drawWaveform(picture: string, image: ColumnImage, target: Surface, shown: WaveformPicture): Drawn {
  const { layers, view } = shown;
  const near = showsSamples(view, target.width / target.ratio);
  const painters: ColumnPainter[] = [];
  const outlines: ColumnPainter[] = [];
  const traces: Trace[] = [];
  const drawn: Drawn = { exact: true, old: false };
  layers.forEach((layer, index) => {
    layer.cache.begin(picture);
    const part = drawLayer(index, layer, target, shown, near);
    layer.cache.end();
    painters.push(...part.painters.map((paint) => within(layer, target.width, paint)));
    outlines.push(...part.outlines.map((paint) => within(layer, target.width, paint)));
    traces.push(...part.traces);
    if (layer.behind) return;
    drawn.exact &&= part.exact;
    drawn.old ||= part.old;
  });
  image.draw(target, [...painters, ...outlines]);
  for (const trace of traces) trace.drawDots();
  return drawn;
}

/** Limits a painter to the columns of its layer. */
function within({ from, to }: WaveLayer, width: number, paint: ColumnPainter): ColumnPainter {
  if (from === undefined && to === undefined) return paint;
  const first = (from ?? 0) * width;
  const end = (to ?? 1) * width;
  return (x, runs) => {
    if (x >= first && x < end) paint(x, runs);
  };
}

interface LayerPainters extends Drawn {
  painters: ColumnPainter[];
  outlines: ColumnPainter[];
  traces: Trace[];
}

/**
 * Mid and side are drawn only from samples: the peaks of left and right bound them so loosely that a recording without
 * any side signal would seem to have plenty.
 */
function drawLayer(index: number, layer: WaveLayer, target: Surface, { view, lanes, zoom, channels = 'each' }: WaveformPicture, near: boolean): LayerPainters {
  const { cache, colours } = layer;
  const all = Array.from({ length: lanes.channels }, (_, channel) => channel);
  // Until the samples arrive, the envelope stands in.
  const samples = near ? samplesIn(cache, view) : null;
  if (samples) {
    const curve = inkOf(target.context, colours.curve);
    const traces = all.map((channel) => {
      const middle = laneTop(lanes, channel) + lanes.height / 2;
      return new Trace(target, samples, laneValue(channels, channel), view, { middle, half: lanes.height / 2 - target.ratio, zoom }, samples.old || layer.behind ? undefined : colours.dots, layer);
    });
    return { painters: traces.map((trace) => trace.painter(samples.old ? faded(curve) : curve)), outlines: [], traces, exact: !samples.old, old: samples.old };
  }
  if (channels === 'mid_side') return { painters: [], outlines: [], traces: [], exact: !near, old: false };
  const envelopes = all.map((channel) => envelopeOf(target, cache, view, { layer: index, channel }, { top: laneTop(lanes, channel), height: lanes.height, zoom }, colours));
  return {
    painters: envelopes.map(({ paint }) => paint),
    outlines: colours.over ? envelopes.map(({ outline }) => outline) : [],
    traces: [],
    exact: !near && envelopes.every((envelope) => envelope.exact),
    old: envelopes.some((envelope) => envelope.old),
  };
}
