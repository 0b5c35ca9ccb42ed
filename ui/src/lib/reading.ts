// Readings at a point of a spectrogram: the levels shown there, and the nearest peak.

import type { Side, SpectrumAt } from '../bindings';
import type { Content } from './lanes';

/** The spectrum of one side, or of both where their difference is shown. */
export interface Reading {
  content: Content;
  original: SpectrumAt | null;
  processed: SpectrumAt | null;
}

const SIDES: Side[] = ['original', 'processed'];

/** The sides that were read, each with its spectrum. */
export const sidesOf = (reading: Reading): { side: Side; at: SpectrumAt }[] => SIDES.flatMap((side) => (reading[side] ? [{ side, at: reading[side] }] : []));

/** Processed minus original; null without a difference: for one side alone, or for silence. */
export function changeOf({ original, processed }: Reading): number | null {
  if (!original || !processed || original.db === null || processed.db === null) return null;
  return processed.db - original.db;
}

/** The spectrum whose peak is shown; two peaks would be too much to read at a glance. */
export const peakOf = (reading: Reading): SpectrumAt | null => (reading.content === 'difference' ? null : reading[reading.content]);
