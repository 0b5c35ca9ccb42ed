import { describe, expect, it } from 'vitest';
import type { WindowName } from '../src/bindings';
import { resolutionOf } from '../src/pages/editor/lib/resolution';

const LENGTH = 4096;

/** The modified Bessel function of order zero, by its series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; k < 60; k++) sum += term *= (x / (2 * k)) ** 2;
  return sum;
}

const cosines = (...terms: number[]) => (x: number): number => terms.reduce((sum, term, i) => sum + term * Math.cos(Math.PI * i * x), 0);

/** Windows by their definitions, from -1 to 1; Kaiser's beta is that of side lobes 90 dB down. */
const BETA = 0.1102 * (90 - 8.7);
const WINDOWS: Partial<Record<WindowName, (x: number) => number>> = {
  hann: cosines(0.5, 0.5),
  hamming: cosines(0.54, 0.46),
  blackman: cosines(0.42, 0.5, 0.08),
  bartlett: (x) => 1 - Math.abs(x),
  rectangular: () => 1,
  kaiser: (x) => bessel(BETA * Math.sqrt(1 - x * x)) / bessel(BETA),
  gaussian: (x) => Math.exp(-0.5 * (x / 0.28) ** 2),
};

/** The width of the main lobe 6 dB down, in bins, from the sum over the window itself. */
function lobe(window: (x: number) => number): number {
  const values = Array.from({ length: LENGTH }, (_, i) => window((2 * (i + 0.5)) / LENGTH - 1));
  const at = (bins: number) => Math.abs(values.reduce((sum, value, i) => sum + value * Math.cos((2 * Math.PI * bins * (i + 0.5 - LENGTH / 2)) / LENGTH), 0));
  const half = at(0) / 2;
  let bins = 0;
  while (at(bins) > half) bins += 0.005;
  return 2 * bins;
}

describe('tones that run together', () => {
  it.each(Object.entries(WINDOWS) as [WindowName, (x: number) => number][])('are as far apart as the main lobe of a %s window is wide', (name, window) => {
    const found = resolutionOf({ method: 'fourier', bins_per_octave: 36, window: name, window_frames: LENGTH, padding: 1, scale: 'mel' }, LENGTH);
    // One bin is one hertz here.
    expect(found.tones_hz / lobe(window)).toBeGreaterThan(0.98);
    expect(found.tones_hz / lobe(window)).toBeLessThan(1.02);
  });
});
