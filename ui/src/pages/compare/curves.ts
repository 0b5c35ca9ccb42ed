// Curves of a measure over the time of a comparison, one for each version.

import type { CompareCurve, FrameRange } from '../../bindings';
import type { Surface } from '../../draw/canvas';
import type { Palette } from '../../draw/palette';

export interface CurveScale {
  low: number;
  high: number;
  marks: number[];
}

/** A step of 1, 2 or 5 times a power of ten that cuts a range into two to five parts. */
function stepFor(range: number): number {
  const unit = 10 ** Math.floor(Math.log10(range));
  return [0.2, 0.5, 1, 2, 5].map((each) => each * unit).find((step) => range / step <= 5) ?? unit;
}

/** The scale that fits all curves. */
export function scaleOfCurves(curves: CompareCurve[]): CurveScale | null {
  let [low, high] = [Infinity, -Infinity];
  for (const curve of curves) {
    for (const value of curve.values) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return null;
  const step = stepFor(Math.max(high - low, Math.abs(high) * 1e-3, 1e-6));
  // Counted in steps, so that rounding errors do not accumulate.
  const from = Math.floor(low / step + 1e-9);
  const to = Math.max(Math.ceil(high / step - 1e-9), from + 1);
  const marks = Array.from({ length: to - from + 1 }, (_, at) => Number(((from + at) * step).toPrecision(9)));
  return { low: Math.min(low, marks[0] ?? low), high: Math.max(high, marks.at(-1) ?? high), marks };
}

/** The value of a curve at a time; null where it has none. */
export function curveValueAt(curve: CompareCurve, seconds: number): number | null {
  const at = Math.round((seconds - curve.start_s) / curve.step_s);
  return at >= 0 && at < curve.values.length ? (curve.values[at] ?? null) : null;
}

/** Draws the curves. Where several values fall on one pixel, the line goes through their lowest and highest. */
export function drawCompareCurves(target: Surface, curves: { curve: CompareCurve; colour: string; strong: boolean }[], scale: CurveScale, view: FrameRange, rate: number, palette: Palette): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  const pad = 3 * ratio;
  const y = (value: number): number => height - pad - ((value - scale.low) / (scale.high - scale.low)) * (height - 2 * pad);
  context.fillStyle = palette.grid;
  for (const mark of scale.marks) context.fillRect(0, Math.round(y(mark)), width, Math.max(1, Math.round(ratio)));
  const perFrame = width / (view.end - view.start);
  for (const { curve, colour, strong } of curves) {
    const x = (index: number): number => ((curve.start_s + index * curve.step_s) * rate - view.start) * perFrame;
    const first = Math.max(0, Math.floor((view.start / rate - curve.start_s) / curve.step_s) - 1);
    const last = Math.min(curve.values.length - 1, Math.ceil((view.end / rate - curve.start_s) / curve.step_s) + 1);
    context.strokeStyle = colour;
    context.globalAlpha = strong ? 1 : 0.7;
    context.lineWidth = (strong ? 2 : 1.25) * ratio;
    context.lineJoin = 'round';
    context.beginPath();
    let column = NaN;
    let [low, high] = [NaN, NaN];
    let begun = false;
    const flush = (): void => {
      if (Number.isNaN(column)) return;
      if (begun) context.lineTo(column, y(low));
      else context.moveTo(column, y(low));
      if (high !== low) context.lineTo(column, y(high));
      begun = true;
      column = NaN;
    };
    for (let index = first; index <= last; index++) {
      const value = curve.values[index];
      if (value == null) {
        flush();
        begun = false;
        continue;
      }
      const at = Math.round(x(index));
      if (at === column) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      } else {
        flush();
        column = at;
        [low, high] = [value, value];
      }
    }
    flush();
    context.stroke();
    context.globalAlpha = 1;
  }
}

/** The ruler beside the curves. */
export function drawCurveRuler(target: Surface, scale: CurveScale | null, palette: Palette): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  if (!scale) return;
  const pad = 3 * ratio;
  context.font = `${10.5 * ratio}px ${palette.font}`;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  let last = Infinity;
  for (const mark of scale.marks) {
    const y = height - pad - ((mark - scale.low) / (scale.high - scale.low)) * (height - 2 * pad);
    context.fillStyle = palette['line-strong'];
    context.fillRect(width - 5 * ratio, Math.round(y), 5 * ratio, Math.max(1, Math.round(ratio)));
    if (last - y < 13 * ratio) continue;
    last = y;
    context.fillStyle = palette['text-dim'];
    context.fillText(String(mark).replace('-', '−'), width - 8 * ratio, Math.min(height - 6 * ratio, Math.max(6 * ratio, y)));
  }
}
