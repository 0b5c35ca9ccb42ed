// How finely a spectrogram tells time and frequency apart.

import type { SpectrogramAnalysis, WindowName } from '../bindings';

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

export function resolutionOf({ window, window_frames, padding }: SpectrogramAnalysis, rate: number): Resolution {
  const lobe = LOBE_BINS[window];
  return { window_s: window_frames / rate, bin_hz: rate / (window_frames * padding), tones_hz: lobe === undefined ? null : (lobe * rate) / window_frames };
}
