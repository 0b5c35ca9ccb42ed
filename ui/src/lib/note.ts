// The nearest note of a frequency, in equal temperament with A4 at 440 Hz.

const NAMES = ['C', 'C♯', 'D', 'D♯', 'E', 'F', 'F♯', 'G', 'G♯', 'A', 'A♯', 'B'] as const;
const A4_HZ = 440;
const A4_NUMBER = 69;

export interface Note {
  /** "A4", "C♯5". */
  name: string;
  /** How far the frequency lies above the note, -50 to 50. */
  cents: number;
}

/** The number of a note on a keyboard, with fractions; 69 is A4. */
export const noteNumber = (hz: number): number => A4_NUMBER + 12 * Math.log2(hz / A4_HZ);
export const hzFromNote = (number: number): number => A4_HZ * 2 ** ((number - A4_NUMBER) / 12);

export function noteName(number: number): string {
  const octave = Math.floor(number / 12) - 1;
  return `${NAMES[((number % 12) + 12) % 12] ?? ''}${octave < 0 ? `−${-octave}` : octave}`;
}

/** Null where there is no note: at and below zero. */
export function nearestNote(hz: number): Note | null {
  if (!(hz > 0) || !Number.isFinite(hz)) return null;
  const number = noteNumber(hz);
  const nearest = Math.round(number);
  return { name: noteName(nearest), cents: (number - nearest) * 100 };
}

/** "A4 +3 ct". */
export function formatNote(hz: number): string {
  const note = nearestNote(hz);
  if (!note) return '';
  const cents = Math.round(note.cents);
  return `${note.name} ${cents < 0 ? '−' : '+'}${Math.abs(cents)} ct`;
}

const STEPS: Record<string, number> = { c: 0, d: 2, e: 4, f: 5, g: 7, a: 9, b: 11 };
const SHIFTS: Record<string, number> = { '': 0, '#': 1, '♯': 1, b: -1, '♭': -1 };

/** The frequency of a note that a person typed, to 0.0001 Hz: "A4", "c#3", "E♭2", "A4 +3 ct"; null when it is none. */
export function hzFromName(typed: string): number | null {
  const match = /^([a-g])([#♯b♭]?) ?([-−]?\d{1,2})(?: ?([+\-−]\d{1,3}(?:[.,]\d+)?) ?(?:ct|cents?|¢))?$/i.exec(typed.trim());
  if (!match) return null;
  const [, letter = '', shift = '', octave = '', cents = '0'] = match;
  const plain = (text: string) => Number(text.replace('−', '-').replace(',', '.'));
  const number = 12 * (plain(octave) + 1) + (STEPS[letter.toLowerCase()] ?? 0) + (SHIFTS[shift.toLowerCase()] ?? 0);
  return Math.abs(plain(octave) - 4.5) > 5.5 ? null : Math.round(hzFromNote(number + plain(cents) / 100) * 1e4) / 1e4;
}
