// Where a parameter's control travels: its everyday values, for a recording of some rate and length.

import type { ParameterView, Value } from '../bindings';
import type { FieldUnit } from './quantity';
import { clamp, type Range } from './scale';

export type NumericParameter = ParameterView & { control: Extract<ParameterView['control'], { kind: 'number' | 'number_or_note' }> };

export interface Extent {
  rate: number;
  /** Length of the recording. */
  seconds: number;
  /** Length of the selection; null without one. */
  selected: number | null;
}

/** The shortest length that a control travels over, in seconds. */
const SHORTEST = 0.05;

/** The range of values that may be typed. */
export function allowedRange({ control }: NumericParameter): Range {
  return { min: control.min, max: control.max, scale: control.scale };
}

/** Where the control travels; beyond it, values are typed. */
export function travelRange({ control, travel }: NumericParameter, { rate, seconds, selected }: Extent): Range {
  const allowed = { min: control.min, max: control.max, scale: control.scale };
  if (travel === null) return allowed;
  const lengths = { nyquist: rate / 2, length: Math.max(SHORTEST, seconds), selection: Math.max(SHORTEST, selected ?? seconds) };
  const to = travel.to.kind === 'value' ? travel.to.value : lengths[travel.to.kind];
  const min = clamp(travel.from, allowed.min, allowed.max);
  return { min, max: clamp(to, Math.min(min * 2 || SHORTEST, allowed.max), allowed.max), scale: control.scale };
}

/** The side of the travel on which the control rests, while it does; null at any other value. */
export function restingSide({ rest }: ParameterView, value: number, travel: Range): 'low' | 'high' | null {
  if (rest === null || rest.value !== value) return null;
  return rest.value <= travel.min ? 'low' : 'high';
}

/** The unit in which a number is shown: a distance of levels has no sign, and a target may be a loudness. */
export function shownUnit({ control, units }: NumericParameter, given: Record<string, Value>): FieldUnit {
  if (units.some(({ unit, choice, word }) => unit === 'LUFS' && given[choice] === word)) return 'LUFS';
  return control.unit === 'dB' && control.min >= 0 ? 'dB apart' : control.unit;
}
