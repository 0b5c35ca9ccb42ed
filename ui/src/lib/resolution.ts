// How finely a spectrogram tells time and frequency apart.

import type { SpectrogramAnalysis, WindowName } from '../bindings';
import { clamp } from './scale';

/** The parameters that pictures' Kaiser and Gaussian windows have in the core: side lobes 90 dB down, and standard deviation in half lengths. */
const KAISER_DB = 90;
const GAUSSIAN_SIGMA = 0.28;

/** Half the width at which a spectrum that falls from 1 is at one half, that is 6 dB down. */
function halfWidth(spectrum: (bins: number) => number): number {
  let [inside, beyond] = [0, 16];
  for (let i = 0; i < 40; i++) {
    const middle = (inside + beyond) / 2;
    if (spectrum(middle) > 0.5) inside = middle;
    else beyond = middle;
  }
  return inside;
}

/** sinh(sqrt(beta² - (pi f)²)) over that root (Kaiser 1974); beyond beta, where it becomes a sine, it is far below one half. */
function kaiserLobe(attenuationDb: number): number {
  const beta = 0.1102 * (attenuationDb - 8.7);
  const at = (bins: number): number => {
    const root = Math.sqrt(Math.max(0, beta ** 2 - (Math.PI * bins) ** 2));
    return root === 0 ? 0 : Math.sinh(root) / root;
  };
  const top = at(0);
  return 2 * halfWidth((bins) => at(bins) / top);
}

/** The spectrum of a bell is a bell, exp(-(pi sigma f)² / 2). */
const gaussianLobe = (sigma: number): number => (2 * Math.sqrt(2 * Math.LN2)) / (Math.PI * sigma);

/** Width of a window's main lobe 6 dB down, in bins without padding: two tones that far apart are just two. */
const LOBE_BINS: Record<WindowName, number> = {
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
  kaiser: kaiserLobe(KAISER_DB),
  gaussian: gaussianLobe(GAUSSIAN_SIGMA),
};

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
  // A doubling for every two octaves below 1 kHz, four times either way at the most.
  const doublings = clamp(Math.round(-Math.log2(hz / 1000) / 2), -2, 2);
  return clamp(window_frames * 2 ** doublings, 64, 65_536);
}

export function resolutionOf(analysis: SpectrogramAnalysis, rate: number, hz = 1000): Resolution {
  const frames = windowFramesAt(analysis, rate, hz);
  return {
    window_s: frames / rate,
    bin_hz: analysis.method === 'constant_q' ? hz * (2 ** (1 / analysis.bins_per_octave) - 1) : rate / (frames * analysis.padding),
    tones_hz: (LOBE_BINS[analysis.window] * rate) / frames,
  };
}
