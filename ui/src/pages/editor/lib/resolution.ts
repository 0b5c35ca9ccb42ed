// How finely a spectrogram tells time and frequency apart.

import { LOBE_BINS, MULTI_RESOLUTION, WINDOW_FRAMES_SPAN, type SpectrogramAnalysis } from '../../../bindings';
import { clamp } from '../../../lib/scale';

export interface Resolution {
  /** The window's length: what a click is smeared over. */
  window_s: number;
  /** From one bin to the next. */
  bin_hz: number;
  /** Tones closer than this run together. */
  tones_hz: number;
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
  const { centre_hz, octaves_each, doublings } = MULTI_RESOLUTION;
  const longer = clamp(Math.round(-Math.log2(hz / centre_hz) / octaves_each), -doublings, doublings);
  return clamp(window_frames * 2 ** longer, ...WINDOW_FRAMES_SPAN);
}

export function resolutionOf(analysis: SpectrogramAnalysis, rate: number, hz = 1000): Resolution {
  const frames = windowFramesAt(analysis, rate, hz);
  return {
    window_s: frames / rate,
    bin_hz: analysis.method === 'constant_q' ? hz * (2 ** (1 / analysis.bins_per_octave) - 1) : rate / (frames * analysis.padding),
    tones_hz: (LOBE_BINS[analysis.window] * rate) / frames,
  };
}
