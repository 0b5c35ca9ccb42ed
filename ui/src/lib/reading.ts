// Readings at a place of a spectrogram: levels of what it shows there, and the peak nearest to it.

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

/** Processed minus original; null where there is no difference to tell: of one side alone, or of silence. */
export function changeOf({ original, processed }: Reading): number | null {
  if (!original || !processed || original.db === null || processed.db === null) return null;
  return processed.db - original.db;
}

/** The one spectrum whose peak is told; two would be one too many to read at a glance. */
export const peakOf = (reading: Reading): SpectrumAt | null => (reading.content === 'difference' ? null : reading[reading.content]);
