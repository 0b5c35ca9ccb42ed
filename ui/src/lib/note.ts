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

/** The frequency of a note that a person typed, to 0.0001 Hz: "A4", "C#3", "Eb2". Null for anything else. */
export function hzFromName(text: string): number | null {
  const match = /^([a-g])([#♯b♭]?)(-?\d{1,2})$/i.exec(text.trim().replace('−', '-'));
  if (!match) return null;
  const natural = { c: 0, d: 2, e: 4, f: 5, g: 7, a: 9, b: 11 }[(match[1] ?? '').toLowerCase()] ?? 0;
  const accidental = match[2] === '' ? 0 : match[2] === '#' || match[2] === '♯' ? 1 : -1;
  const octave = Number(match[3]);
  if (octave < -1 || octave > 10) return null;
  return Math.round(hzFromNote(12 * (octave + 1) + natural + accidental) * 1e4) / 1e4;
}

/** "A4 +3 ct". */
export function formatNote(hz: number): string {
  const note = nearestNote(hz);
  if (!note) return '';
  const cents = Math.round(note.cents);
  return `${note.name} ${cents < 0 ? '−' : '+'}${Math.abs(cents)} ct`;
}
