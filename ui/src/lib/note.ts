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
