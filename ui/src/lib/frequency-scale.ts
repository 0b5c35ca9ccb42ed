// The position of a frequency on the height of a spectrogram, 0 at the bottom and 1 at half the rate, on five scales.

import { LOG_FOOT_HZ, type FrequencyScale } from '../bindings';
import { clamp } from './scale';

interface Shape {
  /** A number that grows evenly along the scale. */
  from(hz: number): number;
  to(value: number): number;
}

const SHAPES: Record<FrequencyScale, Shape> = {
  linear: { from: (hz) => hz, to: (value) => value },
  log: { from: (hz) => Math.log(Math.max(hz, 1e-6)), to: (value) => Math.exp(value) },
  // HTK's mel.
  mel: { from: (hz) => 2595 * Math.log10(1 + hz / 700), to: (value) => 700 * (10 ** (value / 2595) - 1) },
  // Traunmueller's Bark.
  bark: { from: (hz) => (26.81 * hz) / (1960 + hz) - 0.53, to: (value) => (1960 * (value + 0.53)) / (26.28 - value) },
  // Glasberg and Moore's ERB rate.
  erb: { from: (hz) => 21.4 * Math.log10(1 + 0.00437 * hz), to: (value) => (10 ** (value / 21.4) - 1) / 0.00437 },
};

export const footHz = (scale: FrequencyScale): number => (scale === 'log' ? LOG_FOOT_HZ : 0);

/** The position of a frequency; below 0 or above 1 outside the scale. */
export function positionFromHz(hz: number, scale: FrequencyScale, rate: number): number {
  const { from } = SHAPES[scale];
  const foot = from(footHz(scale));
  return (from(hz) - foot) / (from(rate / 2) - foot);
}

export function hzFromPosition(position: number, scale: FrequencyScale, rate: number): number {
  const { from, to } = SHAPES[scale];
  const foot = from(footHz(scale));
  return to(foot + position * (from(rate / 2) - foot));
}

/** The visible part of the frequency axis, as places on its scale. */
export interface FrequencyView {
  bottom: number;
  top: number;
}

export const WHOLE_AXIS: FrequencyView = { bottom: 0, top: 1 };
const MIN_SHARE = 1 / 512;

export function fittedAxis(view: FrequencyView): FrequencyView {
  const share = clamp(view.top - view.bottom, MIN_SHARE, 1);
  const bottom = clamp(view.bottom, 0, 1 - share);
  return { bottom, top: bottom + share };
}

/** Zooms around `anchor` (0 at the bottom, 1 at the top of the picture). */
export function zoomedAxis(view: FrequencyView, factor: number, anchor: number): FrequencyView {
  const share = view.top - view.bottom;
  const next = clamp(share * factor, MIN_SHARE, 1);
  const fixed = view.bottom + share * anchor;
  return fittedAxis({ bottom: fixed - next * anchor, top: fixed + next * (1 - anchor) });
}

export const scrolledAxis = (view: FrequencyView, by: number): FrequencyView => fittedAxis({ bottom: view.bottom + by, top: view.top + by });

/** The same frequencies on another scale. */
export function axisOnScale(view: FrequencyView, from: FrequencyScale, to: FrequencyScale, rate: number): FrequencyView {
  if (from === to) return view;
  const move = (position: number) => clamp(positionFromHz(hzFromPosition(position, from, rate), to, rate), 0, 1);
  // The bottom stays the bottom: 20 Hz and 0 Hz are the same end of the axis.
  return fittedAxis({ bottom: view.bottom <= 0 ? 0 : move(view.bottom), top: view.top >= 1 ? 1 : move(view.top) });
}

/** Height from the top of a lane, 0..1, and back. */
export const heightFromHz = (hz: number, view: FrequencyView, scale: FrequencyScale, rate: number): number =>
  (view.top - positionFromHz(hz, scale, rate)) / (view.top - view.bottom);
export const hzFromHeight = (height: number, view: FrequencyView, scale: FrequencyScale, rate: number): number =>
  Math.max(0, hzFromPosition(view.top - height * (view.top - view.bottom), scale, rate));
