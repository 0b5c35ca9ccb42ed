// The kinds of tracks on a map: each with a name, a count, a colour and a shape.

import type { Shape } from '../draw/map-points';

export type CategoryColumn = 'genre' | 'key';

export interface Category {
  /** The value; none for tracks without one, and for all the rare ones together. */
  value: string | null;
  kind: 'value' | 'rest' | 'none';
  count: number;
  /** Which of the colours for categories; none is that of what is in none. */
  colour: number | null;
  shape: Shape;
}

export interface Categories {
  column: CategoryColumn;
  entries: Category[];
  /** The category of each point, as a place in `entries`. */
  of: Uint8Array;
}

/** Colours there are, of neighbouring hues. */
export const CATEGORY_COLOURS = 12;
const SHAPES: Shape[] = ['disc', 'square', 'diamond', 'triangle'];
/** Five hues on: neighbours in the list are no neighbours in colour. */
const STRIDE = 5;

const TONICS = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B'];
const FLATS: Record<string, string> = { Db: 'C#', Eb: 'D#', Gb: 'F#', Ab: 'G#', Bb: 'A#' };

/** Where a key stands on the wheel of fifths, a minor key with its parallel of the same signs; none for what is no key. */
export function placeOnWheel(key: string): { fifths: number; minor: boolean } | null {
  const minor = key.endsWith('m');
  const tonic = minor ? key.slice(0, -1) : key;
  const note = TONICS.indexOf(FLATS[tonic] ?? tonic);
  if (note === -1) return null;
  return { fifths: ((note + (minor ? 3 : 0)) * 7) % 12, minor };
}

/** `values` by point. Keys stand by fifths, genres by number of tracks, the rare ones of them together. */
export function categoriesOf(column: CategoryColumn, values: readonly (string | null)[]): Categories {
  const counts = new Map<string, { value: string; count: number }>();
  let none = 0;
  for (const value of values) {
    if (value === null) none++;
    else {
      const known = counts.get(value.toLowerCase());
      if (known) known.count++;
      else counts.set(value.toLowerCase(), { value, count: 1 });
    }
  }
  const entries = column === 'key' ? keys([...counts.values()]) : genres([...counts.values()]);
  if (none > 0) entries.push({ value: null, kind: 'none', count: none, colour: null, shape: 'ring' });
  const places = new Map(entries.map((entry, at) => [entry.kind === 'value' ? (entry.value?.toLowerCase() ?? '') : entry.kind, at]));
  const of = Uint8Array.from(values, (value) => (value === null ? places.get('none') : (places.get(value.toLowerCase()) ?? places.get('rest'))) ?? 0);
  return { column, entries, of };
}

type Counted = { value: string; count: number }[];

function keys(found: Counted): Category[] {
  const placed = found.map((each) => ({ ...each, place: placeOnWheel(each.value) }));
  const order = (place: (typeof placed)[number]['place']): number => (place ? place.fifths * 2 + (place.minor ? 1 : 0) : Infinity);
  return placed
    .sort((a, b) => order(a.place) - order(b.place) || a.value.localeCompare(b.value))
    .map(({ value, count, place }) => ({ value, kind: 'value', count, colour: place?.fifths ?? null, shape: place?.minor ? 'diamond' : 'disc' }));
}

function genres(found: Counted): Category[] {
  const sorted = found.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value));
  const most = sorted.length > CATEGORY_COLOURS ? CATEGORY_COLOURS : sorted.length;
  const entries: Category[] = sorted.slice(0, most).map(({ value, count }, at) => ({ value, kind: 'value', count, colour: (at * STRIDE) % CATEGORY_COLOURS, shape: SHAPES[at % SHAPES.length] ?? 'disc' }));
  const rest = sorted.slice(most).reduce((sum, { count }) => sum + count, 0);
  if (rest > 0) entries.push({ value: null, kind: 'rest', count: rest, colour: null, shape: 'disc' });
  return entries;
}
