// A waveform as plain rectangles: the reference for its image.

import type { FrameRange } from '../src/bindings';
import { inkFrom } from '../src/draw/ink';
import { interpolate } from '../src/draw/sinc';
import type { WaveColours } from '../src/draw/wave-colours';
import { laneTop, type Lanes } from '../src/draw/waveform';
import type { Rectangle } from './canvas-reference';

export interface Shown {
  width: number;
  height: number;
  ratio: number;
  palette: WaveColours;
  zoom?: number;
  lanes: Lanes;
  view: FrameRange;
}

interface Channel {
  max: Float32Array;
  min: Float32Array;
  rms: Float32Array;
  data: Float32Array;
}

function colourOf(colour: string): Rectangle['colour'] {
  const ink = inkFrom(colour);
  return [ink & 255, (ink >>> 8) & 255, (ink >>> 16) & 255, (ink >>> 24) / 255];
}

const clamped = (value: number, most: number): number => Math.max(-most, Math.min(most, value));

/** Of a recording whose peaks are one to a frame, as long as no more than those in sight are asked for. */
export function envelopeRectangles({ width, ratio, palette, lanes, view }: Shown, channels: Channel[], frames: number): Rectangle[] {
  const found: Rectangle[] = [];
  const step = (view.end - view.start) / width;
  channels.forEach((channel, index) => {
    const top = laneTop(lanes, index);
    const half = lanes.height / 2 - ratio;
    const y = (value: number) => top + lanes.height / 2 - clamped(value, 1.02) * half;
    const columns = Array.from({ length: width }, (_, x) => {
      const from = view.start + x * step;
      if (from < 0 || from >= frames) return null;
      const [first, end] = [Math.floor(from), Math.max(Math.floor(from) + 1, Math.ceil(from + step))];
      const rms = [...channel.rms.slice(first, end)];
      return { low: Math.min(...channel.min.slice(first, end)), high: Math.max(...channel.max.slice(first, end)), mean: Math.fround(Math.sqrt(rms.reduce((sum, value) => sum + value * value, 0) / rms.length)) };
    });
    for (let x = width - 1; x > 0; x--) {
      const [before, column] = [columns[x - 1], columns[x]];
      if (!before || !column) continue;
      if (column.low > before.high) column.low = before.high;
      else if (column.high < before.low) column.high = before.low;
    }
    const least = Math.max(1, ratio * 0.5) / 2;
    const edge = Math.max(1, Math.round(ratio));
    const mark = Math.round(3 * ratio);
    const fill = (name: 'peak' | 'core' | 'outline' | 'clip', x: number, from: number, to: number, wide = 1) => {
      if (to > from) found.push({ x, y: from, width: wide, height: to - from, colour: colourOf(palette[name] ?? '') });
    };
    const each = (paint: (x: number, column: { low: number; high: number; mean: number }) => void) => columns.forEach((column, x) => column && paint(x, column));
    const upper = ({ high }: { high: number }) => Math.round(y(high) - least);
    const lower = ({ low }: { low: number }) => Math.round(y(low) + least);
    each((x, column) => fill('peak', x, upper(column), Math.max(upper(column) + 1, lower(column))));
    each((x, { low, high, mean }) => fill('core', x, Math.round(y(Math.min(mean, high))), Math.round(y(Math.max(-mean, low)))));
    if (palette.outline !== undefined) {
      each((x, column) => {
        const before = columns[x - 1] ?? column;
        const [a, b] = [upper(column), upper(before)];
        fill('outline', x, Math.min(a, b), Math.min(a, b) + Math.max(edge, Math.abs(a - b)));
        const [c, d] = [Math.max(a + 1, lower(column)), lower(before)];
        fill('outline', x, Math.min(c, d) - edge, Math.min(c, d) - edge + Math.max(edge, Math.abs(c - d)));
      });
    }
    each((x, { low, high }) => {
      if (high >= 1) fill('clip', x - 0.5, top, top + mark, 2);
      if (low <= -1) fill('clip', x - 0.5, top + lanes.height - mark, top + lanes.height, 2);
    });
  });
  return found;
}

/** The line through samples, or the curve where they are far apart. */
export function traceRectangles({ width, ratio, palette, lanes, view }: Shown, channels: Channel[], frames: number): Rectangle[] {
  const found: Rectangle[] = [];
  const step = (view.end - view.start) / width;
  const thick = 1.25 * ratio;
  const curve = step * ratio <= 0.5;
  channels.forEach(({ data }, index) => {
    const at = (frame: number) => data[frame] ?? 0;
    const line = (place: number) => at(Math.floor(place)) + (place === Math.floor(place) ? 0 : (at(Math.floor(place) + 1) - at(Math.floor(place))) * (place - Math.floor(place)));
    const value = curve ? (place: number) => interpolate(at, place) : line;
    const y = (level: number) => laneTop(lanes, index) + lanes.height / 2 - clamped(level, 1.05) * (lanes.height / 2 - ratio);
    for (let x = 0; x < width; x++) {
      const start = view.start + x * step;
      if (start >= frames - 1) continue;
      const places = [start, Math.min(start + step, frames - 1), ...(curve ? [start + step / 2] : [])].map((place) => y(value(place)));
      for (let frame = Math.ceil(start); frame < start + step; frame++) places.push(y(at(frame)));
      const [least, most] = [Math.min(...places), Math.max(...places)];
      const tall = thick * Math.hypot(1, most - least);
      const top = Math.max((least + most) / 2 - tall / 2, least - thick / 2);
      const bottom = Math.min((least + most) / 2 + tall / 2, most + thick / 2);
      found.push({ x, y: top, width: 1, height: bottom - top, colour: colourOf(palette.curve) });
    }
  });
  return found;
}
