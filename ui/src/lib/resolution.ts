// How finely a spectrogram tells time and frequency apart.

import type { SpectrogramAnalysis, WindowName } from '../bindings';
import { clamp } from './scale';

/** Width of a window's main lobe 6 dB down, in bins without padding: two tones that far apart are just two. */
const LOBE_BINS: Partial<Record<WindowName, number>> = {
  hann: 2,
  hamming: 1.84,
  blackman: 2.31,
  blackman_harris: 2.69,
  nuttall: 2.66,
  flattop: 4.59,
  bartlett: 1.78,
  parzen: 2.56,
  bohman: 2.41,
  barthann: 1.97,
  rectangular: 1.22,
};

export interface Resolution {
  /** The window's length: what a click is smeared over. */
  window_s: number;
  /** From one bin to the next. */
  bin_hz: number;
  /** Tones closer than this run together; null where the window's shape is a matter of its parameter. */
  tones_hz: number | null;
}

/** Periods in a window of the constant-Q transform: its quotient of frequency and bandwidth. */
export function periodsOf(bins_per_octave: number): number {
  const ratio = 2 ** (1 / bins_per_octave);
  return (ratio + 1 / ratio) / (ratio - 1 / ratio);
}

/** Frames of the window that shows a frequency. */
export function windowFramesAt({ method, window_frames, bins_per_octave }: SpectrogramAnalysis, rate: number, hz: number): number {
  if (method === 'constant_q') return (periodsOf(bins_per_octave) * rate) / hz;
  if (method !== 'multi_resolution') return window_frames;
  // A doubling for every two octaves below 1 kHz, four times either way at the most.
  const doublings = clamp(Math.round(-Math.log2(hz / 1000) / 2), -2, 2);
  return clamp(window_frames * 2 ** doublings, 64, 65_536);
}

export function resolutionOf(analysis: SpectrogramAnalysis, rate: number, hz = 1000): Resolution {
  const frames = windowFramesAt(analysis, rate, hz);
  const lobe = LOBE_BINS[analysis.window];
  return {
    window_s: frames / rate,
    bin_hz: analysis.method === 'constant_q' ? hz * (2 ** (1 / analysis.bins_per_octave) - 1) : rate / (frames * analysis.padding),
    tones_hz: lobe === undefined ? null : (lobe * rate) / frames,
  };
}
