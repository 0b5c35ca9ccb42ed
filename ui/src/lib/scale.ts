// Converts between a control's travel (0..1) and its value, on the parameter's scale.

import type { Scale } from '../bindings';

export interface Range {
  min: number;
  max: number;
  scale: Scale;
}

export const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** A log scale needs a positive start; where a range begins at zero it is drawn linearly. */
const isLog = (range: Range): boolean => range.scale === 'log' && range.min > 0;

export function travelFromValue(value: number, range: Range): number {
  const held = clamp(value, range.min, range.max);
  if (range.max <= range.min) return 0;
  if (isLog(range)) return Math.log(held / range.min) / Math.log(range.max / range.min);
  return (held - range.min) / (range.max - range.min);
}

export function valueFromTravel(travel: number, range: Range): number {
  const held = clamp(travel, 0, 1);
  if (isLog(range)) return clamp(range.min * (range.max / range.min) ** held, range.min, range.max);
  const value = range.min + held * (range.max - range.min);
  return isWhole(range) ? Math.round(value) : value;
}

const isWhole = ({ scale }: Range): boolean => scale === 'integer' || scale === 'index';

/** Rounds to what a person would type: three or four digits that matter. */
export function tidy(value: number, range: Range): number {
  if (isWhole(range)) return clamp(Math.round(value), range.min, range.max);
  const magnitude = isLog(range) ? Math.abs(value) : range.max - range.min;
  if (magnitude === 0 || !Number.isFinite(magnitude)) return clamp(value, range.min, range.max);
  const digits = isLog(range) ? 3 : 4;
  const step = 10 ** (Math.floor(Math.log10(magnitude)) - (digits - 1));
  const rounded = Math.round(value / step) * step;
  return clamp(Number(rounded.toPrecision(12)), range.min, range.max);
}

/**
 * The value after a step of the keyboard: `fine` is an arrow, otherwise a page key; `direction` is +1 or -1. With Shift
 * it is a `share` of that step, but at least the smallest displayed step.
 */
export function stepped(value: number, range: Range, direction: 1 | -1, fine: boolean, share = 1): number {
  // Beyond the travel, a step outwards changes nothing: a typed value is kept.
  if (direction > 0 ? value >= range.max : value <= range.min) return value;
  if (isWhole(range)) return clamp(Math.round(value) + direction * (fine ? 1 : 4), range.min, range.max);
  if (isLog(range)) {
    // A twelfth of an octave, or an octave; at least one step of the displayed value.
    const ratio = 2 ** (direction * share * (fine ? 1 / 12 : 1));
    const next = tidy(value * ratio, range);
    if (next !== value) return next;
    const least = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 2);
    return tidy(value + direction * least, range);
  }
  const span = range.max - range.min;
  return tidy(value + direction * share * span * (fine ? 0.005 : 0.05), range);
}
