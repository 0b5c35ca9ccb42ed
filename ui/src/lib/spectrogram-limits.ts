// Limits and initial values of the spectrogram's settings.

import { DISPLAY_DB, WINDOW_FRAMES_SPAN } from '../bindings';
import { clamp } from './scale';

export const GAIN_DB = { min: -60, max: 100, initial: DISPLAY_DB.gain };
export const RANGE_DB = { min: 10, max: 180, initial: DISPLAY_DB.range };
export const BPM = { min: 20, max: 400 };
export const WINDOW_FRAMES = Array.from({ length: Math.log2(WINDOW_FRAMES_SPAN[1] / WINDOW_FRAMES_SPAN[0]) + 1 }, (_, i) => WINDOW_FRAMES_SPAN[0] << i);
export const PADDINGS = [1, 2, 4, 8];
export const BINS_PER_OCTAVE = [12, 24, 36, 48, 60, 72, 84, 96];

/** A tenth of a decibel is the least that a drag changes. */
export const stepGain = (db: number): number => clamp(Math.round(db * 10) / 10, GAIN_DB.min, GAIN_DB.max);
export const stepRange = (db: number): number => clamp(Math.round(db * 10) / 10, RANGE_DB.min, RANGE_DB.max);

/** How much of the spectrogram covers the waveform, for each way to see the lanes. */
export const BLENDS = { waveform: 0, both: 0.6, spectrogram: 1 } as const;
