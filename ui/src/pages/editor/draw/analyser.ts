// The analyser's plot: a logarithmic frequency axis, levels, and the traces of both sides.

import type { Side } from '../../../bindings';
import { gridHz } from './response';
import type { Surface } from '../../../draw/canvas';
import type { Palette } from '../../../draw/palette';

export interface AnalyserArea {
  fromHz: number;
  toHz: number;
  lowDb: number;
  highDb: number;
}

/** A curve and its distinguishing attributes. */
export interface Trace {
  levels: Float32Array;
  side: Side;
  /** The held peaks. */
  held: Float32Array | null;
}

/** Room beside the plot for the labels of its axes, in CSS pixels; the left one is the gutter of the lanes above. */
export const AXIS_PX = { left: 44, foot: 18 };

/** The position of a plot's lane, in the surface's pixels. */
export const laneOf = (lane: number, lanes: number, height: number): { top: number; height: number } => {
  const top = Math.round((lane * height) / lanes);
  return { top, height: Math.round(((lane + 1) * height) / lanes) - top };
};

export const xFromHz = (hz: number, area: AnalyserArea, width: number): number => (Math.log(hz / area.fromHz) / Math.log(area.toHz / area.fromHz)) * width;
export const hzFromX = (x: number, area: AnalyserArea, width: number): number => area.fromHz * (area.toHz / area.fromHz) ** (x / Math.max(1, width));
export const yFromDb = (db: number, area: AnalyserArea, height: number): number => ((area.highDb - db) / (area.highDb - area.lowDb)) * height;

/** The level of a trace at a frequency; null if unknown. */
export function levelAt(levels: Float32Array, hz: number, area: AnalyserArea): number | null {
  const place = xFromHz(hz, area, levels.length - 1);
  const below = levels[Math.max(0, Math.floor(place))];
  const above = levels[Math.min(levels.length - 1, Math.ceil(place))];
  if (below === undefined || above === undefined || Number.isNaN(below) || Number.isNaN(above)) return null;
  return below + (above - below) * (place - Math.floor(place));
}

/** The levels of the grid lines, at least 18 px apart. */
export function gridDb(area: AnalyserArea, heightPx: number): number[] {
  const step = [6, 12, 24, 48].find((each) => (each / (area.highDb - area.lowDb)) * heightPx >= 18) ?? 96;
  const found: number[] = [];
  for (let db = Math.floor(area.highDb / step) * step; db > area.lowDb; db -= step) found.push(db);
  return found;
}

export function drawAnalyserGrid(target: Surface, area: AnalyserArea, names: string[], palette: Palette): void {
  const { context, ratio } = target;
  const thin = Math.max(1, Math.round(ratio));
  const left = Math.round(AXIS_PX.left * ratio);
  const width = target.width - left;
  const height = target.height - Math.round(AXIS_PX.foot * ratio);
  const ticks = gridHz(area.fromHz, area.toHz);
  context.clearRect(0, 0, target.width, target.height);
  context.textBaseline = 'middle';
  for (let lane = 0; lane < names.length; lane++) {
    const { top, height: tall } = laneOf(lane, names.length, height);
    context.fillStyle = palette.lane;
    context.fillRect(left, top, width, tall);
    for (const { hz, label } of ticks) {
      context.fillStyle = label === null ? palette.grid : palette['grid-strong'];
      context.fillRect(left + Math.round(xFromHz(hz, area, width)), top, thin, tall);
    }
    context.font = `${10.5 * ratio}px ${palette.font}`;
    context.textAlign = 'right';
    for (const db of gridDb(area, tall / ratio)) {
      const y = top + yFromDb(db, area, tall);
      context.fillStyle = palette.grid;
      context.fillRect(left, Math.round(y), width, thin);
      context.fillStyle = palette['line-strong'];
      context.fillRect(left - 5 * ratio, Math.round(y), 5 * ratio, thin);
      context.fillStyle = palette['text-dim'];
      context.fillText(`${db}`.replace('-', '−'), left - 9 * ratio, Math.min(top + tall - 6 * ratio, Math.max(top + 7 * ratio, y)));
    }
    context.font = `600 ${11 * ratio}px ${palette.font}`;
    context.fillStyle = palette.text;
    context.textAlign = 'left';
    context.fillText(names[lane] ?? '', left + 6 * ratio, top + 10 * ratio);
    context.fillStyle = palette.line;
    context.fillRect(0, lane > 0 ? top : height, target.width, thin);
  }
  context.fillRect(0, height, target.width, thin);
  context.fillRect(left - thin, 0, thin, height);
  context.font = `${10.5 * ratio}px ${palette.font}`;
  context.fillStyle = palette['text-dim'];
  context.textAlign = 'center';
  for (const { hz, label } of ticks) {
    const x = left + xFromHz(hz, area, width);
    if (label !== null && x < target.width - 10 * ratio) context.fillText(label, x, target.height - 8 * ratio);
  }
}

/** Draws a lane's curves; the audible side is filled, the other a line. `tiltDb` is added per octave above 1 kHz. */
export function drawTraces(target: Surface, lane: number, lanes: number, traces: Trace[], heard: Side, area: AnalyserArea, tiltDb: number, palette: Palette): void {
  const { context, width, height, ratio } = target;
  const { top, height: tall } = laneOf(lane, lanes, height);
  context.save();
  context.beginPath();
  context.rect(0, top, width, tall);
  context.clip();
  context.lineJoin = 'round';
  const path = (levels: Float32Array, close: boolean): void => {
    const step = width / (levels.length - 1);
    const octaves = Math.log2(area.toHz / area.fromHz) / (levels.length - 1);
    const first = Math.log2(area.fromHz / 1000);
    let end = -1;
    context.beginPath();
    for (let i = 0; i < levels.length; i++) {
      const db = levels[i] ?? NaN;
      if (Number.isNaN(db)) continue;
      const y = top + Math.min(tall + 4 * ratio, yFromDb(db + tiltDb * (first + octaves * i), area, tall));
      if (end < 0) context.moveTo(close ? -2 * ratio : i * step, y);
      context.lineTo(i * step, y);
      end = i;
    }
    if (close && end >= 0) {
      context.lineTo(end * step, top + tall + 4 * ratio);
      context.lineTo(-2 * ratio, top + tall + 4 * ratio);
      context.closePath();
    }
  };
  // The audible side is on top.
  for (const trace of [...traces].sort((a, b) => Number(a.side === heard) - Number(b.side === heard))) {
    const colour = trace.side === 'processed' ? palette.processed : palette.original;
    const audible = trace.side === heard;
    if (audible) {
      path(trace.levels, true);
      context.fillStyle = colour;
      context.globalAlpha = 0.16;
      context.fill();
      context.globalAlpha = 1;
      if (trace.held) {
        path(trace.held, false);
        context.strokeStyle = palette['text-dim'];
        context.lineWidth = Math.max(1, ratio);
        context.stroke();
      }
    }
    path(trace.levels, false);
    context.strokeStyle = colour;
    context.lineWidth = (audible ? 1.6 : 1.25) * ratio;
    context.stroke();
  }
  context.restore();
}
