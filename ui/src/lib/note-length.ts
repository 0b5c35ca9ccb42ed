// Lengths of notes: 1/8, dotted 1/8d, triplet 1/8t, as in the chain's text.

import type { Unit } from '../bindings';

/** The largest number above or below the line. */
const MOST = 128;

const STRETCH: Record<string, number> = { '': 1, d: 1.5, t: 2 / 3 };

function parts(text: string): { above: number; below: number; letter: string } | null {
  const match = /^0*(\d{1,3})\s*\/\s*0*(\d{1,3})\s*([dt]?)$/i.exec(text.trim());
  if (!match) return null;
  const [above, below, letter] = [Number(match[1]), Number(match[2]), (match[3] ?? '').toLowerCase()];
  return above >= 1 && below >= 1 && above <= MOST && below <= MOST ? { above, below, letter } : null;
}

/** The note that a person typed, as it is written; null when it is none. */
export function parseNote(text: string): string | null {
  const note = parts(text);
  return note && `${note.above}/${note.below}${note.letter}`;
}

/** Its length in whole notes. */
function length(note: string): number | null {
  const found = parts(note);
  return found && (found.above / found.below) * (STRETCH[found.letter] ?? 1);
}

/** A note at a tempo in seconds, or for a rate in hertz. A quarter is one beat. */
export function fromNote(note: string, bpm: number, unit: Unit): number | null {
  const whole = length(note);
  if (whole === null) return null;
  const seconds = (whole * 4 * 60) / bpm;
  return unit === 'hz' ? 1 / seconds : seconds;
}

const USUAL = [1, 2, 4, 8, 16, 32, 64].flatMap((below) => ['d', '', 't'].map((letter) => `1/${below}${letter}`)).sort((a, b) => (length(a) ?? 0) - (length(b) ?? 0));

/** The next longer (1) or shorter (-1) of the usual notes. */
export function steppedNote(note: string, step: 1 | -1): string {
  const whole = length(note);
  if (whole === null) return note;
  const longer = USUAL.filter((usual) => ((length(usual) ?? 0) - whole) * step > 1e-9);
  return (step === 1 ? longer[0] : longer.at(-1)) ?? note;
}
