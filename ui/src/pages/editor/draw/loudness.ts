// Loudness over time: a ruler in LUFS, the target, momentary and short-term curves of both sides.

import type { FrameRange } from '../../../bindings';
import { xFromFrame } from '../../../lib/view';
import type { Surface } from '../../../draw/canvas';
import type { Palette } from '../../../draw/palette';

export const TOP_LUFS = 0;
export const FOOT_LUFS = -60;
/** Points of a curve per second; a point is at the end of its interval. */
export const POINTS_PER_S = 10;

export const yFromLufs = (lufs: number, height: number): number => ((TOP_LUFS - Math.max(FOOT_LUFS, lufs)) / (TOP_LUFS - FOOT_LUFS)) * height;
export const frameOfPoint = (point: number, rate: number): number => ((point + 1) * rate) / POINTS_PER_S;
export const pointAt = (frame: number, rate: number): number => Math.ceil((frame * POINTS_PER_S) / rate) - 1;

/** The loudnesses of the grid lines, at least 16 px apart. */
export function gridLufs(heightPx: number): number[] {
  const step = [6, 10, 20, 30].find((each) => (each / (TOP_LUFS - FOOT_LUFS)) * heightPx >= 16) ?? 60;
  return Array.from({ length: Math.ceil(-FOOT_LUFS / step) - 1 }, (_, i) => -(i + 1) * step);
}

export function drawLoudnessRuler(target: Surface, targetLufs: number, palette: Palette): void {
  const { context, width, height, ratio } = target;
  const thin = Math.max(1, Math.round(ratio));
  context.clearRect(0, 0, width, height);
  context.font = `${10.5 * ratio}px ${palette.font}`;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const wanted = yFromLufs(targetLufs, height);
  for (const lufs of gridLufs(height / ratio)) {
    const y = yFromLufs(lufs, height);
    context.fillStyle = palette['line-strong'];
    context.fillRect(width - 5 * ratio, Math.round(y), 5 * ratio, thin);
    if (Math.abs(y - wanted) < 12 * ratio) continue;
    context.fillStyle = palette['text-dim'];
    context.fillText(`−${-lufs}`, width - 9 * ratio, y);
  }
  context.fillStyle = palette.accent;
  context.fillRect(width - 5 * ratio, Math.round(wanted), 5 * ratio, thin);
  context.font = `600 ${10.5 * ratio}px ${palette.font}`;
  const label = `${Math.round(targetLufs * 10) / 10}`.replace('-', '−');
  context.fillText(label, width - 9 * ratio, Math.min(height - 7 * ratio, Math.max(7 * ratio, wanted)));
}

export interface LoudnessCurves {
  momentary: Float32Array;
  shortTerm: Float32Array;
}

export interface LoudnessPicture {
  original: LoudnessCurves | null;
  processed: LoudnessCurves | null;
  view: FrameRange;
  rate: number;
  targetLufs: number;
  /** The frames of the vertical grid lines. */
  times: number[];
}

export function drawLoudness(target: Surface, picture: LoudnessPicture, palette: Palette): void {
  const { context, width, height, ratio } = target;
  const thin = Math.max(1, Math.round(ratio));
  context.clearRect(0, 0, width, height);
  context.fillStyle = palette.grid;
  for (const frame of picture.times) context.fillRect(Math.round(xFromFrame(frame, picture.view, width)), 0, thin, height);
  for (const lufs of gridLufs(height / ratio)) context.fillRect(0, Math.round(yFromLufs(lufs, height)), width, thin);
  context.setLineDash([6 * ratio, 4 * ratio]);
  context.strokeStyle = palette.accent;
  context.lineWidth = thin;
  context.beginPath();
  const wanted = Math.round(yFromLufs(picture.targetLufs, height)) + 0.5 * thin;
  context.moveTo(0, wanted);
  context.lineTo(width, wanted);
  context.stroke();
  context.setLineDash([]);
  context.lineJoin = 'round';
  for (const [curves, colour] of [
    [picture.original, palette.original],
    [picture.processed, palette.processed],
  ] as const) {
    if (!curves) continue;
    context.strokeStyle = colour;
    context.globalAlpha = 0.5;
    context.lineWidth = ratio;
    curve(target, curves.momentary, picture);
    context.globalAlpha = 1;
    context.lineWidth = 2 * ratio;
    curve(target, curves.shortTerm, picture);
  }
}

/** Traces a curve; points that share a pixel are reduced to their minimum and maximum. */
function curve(target: Surface, values: Float32Array, { view, rate }: LoudnessPicture): void {
  const { context, width, height } = target;
  const first = Math.max(0, pointAt(view.start, rate) - 1);
  const last = Math.min(values.length - 1, pointAt(view.end, rate) + 1);
  let column = -Infinity;
  let low = 0;
  let high = 0;
  let begun = false;
  const flush = (): void => {
    if (column === -Infinity) return;
    if (begun) context.lineTo(column, yFromLufs(high, height));
    else context.moveTo(column, yFromLufs(high, height));
    begun = true;
    if (low < high) context.lineTo(column, yFromLufs(low, height));
  };
  context.beginPath();
  for (let point = first; point <= last; point++) {
    const value = Math.max(FOOT_LUFS, values[point] ?? FOOT_LUFS);
    const x = Math.round(xFromFrame(frameOfPoint(point, rate), view, width));
    if (x === column) {
      low = Math.min(low, value);
      high = Math.max(high, value);
      continue;
    }
    flush();
    column = x;
    low = value;
    high = value;
  }
  flush();
  context.stroke();
}
