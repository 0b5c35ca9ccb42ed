// A small form of the query language: words, quotes, `-`, `|`, fields with ranges and comparisons.

import type { QueryCompletions, SortBy, TrackItem } from '../../../bindings';
import { COLUMNS, DIMENSIONS } from './dimensions';

const ALIASES: Record<string, string> = { bpm: 'tempo_bpm', loudness: 'loudness_lufs', duration: 'duration_s', rate: 'rate_hz', crest: 'crest_db', width: 'stereo_width', centroid: 'centroid_hz', bandwidth: 'bandwidth_hz', added: 'added_at' };
const EXAMPLES: Record<string, string> = { bpm: 'bpm:118..122', key: 'key:Am', loudness: 'loudness:<-14', duration: 'duration:>3:00', artist: 'artist:"Amber Choir"', genre: 'genre:jazz', format: 'format:flac,wav', year: 'year:1990..1999', state: 'state:failed' };
const PLACES = new Map(DIMENSIONS.map((each, at) => [each.name, at]));

export function valueOf(item: TrackItem, name: string): string | number | null {
  if (name === 'path' || name === 'folder') return `${item.folder}/${item.name}`;
  const at = PLACES.get(name);
  if (at !== undefined) return item.features[at] ?? null;
  return ((item as Record<string, unknown>)[name] as string | number | null | undefined) ?? null;
}

type Test = (item: TrackItem) => boolean;

const bytes = (text: string): number => new TextEncoder().encode(text).length;

function refuse(text: string, start: number, end: number, message: string, allowed: string[], nearest: string | null): Error {
  const problem = { message, start: bytes(text.slice(0, start)), end: bytes(text.slice(0, end)), got: text.slice(start, end), allowed, nearest };
  return Object.assign(new Error(`at ${problem.start}: ${message}`), { notation: problem });
}

function numberOf(text: string): number {
  const clock = /^(\d+):(\d{1,2})$/.exec(text);
  if (clock) return Number(clock[1]) * 60 + Number(clock[2]);
  const plain = /^(-?[\d.]+)(k?)[a-z]*$/i.exec(text);
  return plain ? Number(plain[1]) * (plain[2] ? 1000 : 1) : Number.NaN;
}

function fieldTest(text: string, at: number, name: string, value: string): Test {
  const column = ALIASES[name] ?? name;
  const known = COLUMNS.find((each) => each.name === column);
  if (!known) {
    const names = [...Object.keys(ALIASES), ...COLUMNS.map((each) => each.name)];
    throw refuse(text, at, at + name.length, `there is no field ${name}`, names.slice(0, 8), names.find((each) => each.startsWith(name.slice(0, 2))) ?? null);
  }
  const from = at + name.length + 1;
  if (value === '') throw refuse(text, from, from, 'a value is missing', [EXAMPLES[name] ?? `${name}:value`], null);
  if (!known.numeric) {
    const tests = value.toLowerCase().split(',');
    return (item) => tests.some((each) => String(valueOf(item, column) ?? '').toLowerCase().includes(each.replaceAll('"', '')));
  }
  const parts = /^(?:(<=?|>=?)?([^.]+(?:\.\d+)?)|([^.]*(?:\.\d+)?)\.\.(.*))$/.exec(value);
  const bound = (part: string | undefined, open: number): number => {
    if (part === undefined || part === '') return open;
    const number = numberOf(part);
    if (Number.isNaN(number)) throw refuse(text, from + value.indexOf(part), from + value.indexOf(part) + part.length, `${part} is not a number`, ['a number, with or without its unit'], null);
    return number;
  };
  if (!parts) throw refuse(text, from, from + value.length, `${value} is neither a number nor a range`, ['120', '118..122', '<120'], null);
  const [, sign, single, low, high] = parts;
  if (single === undefined) return within(column, bound(low, -Infinity), bound(high, Infinity));
  const number = bound(single, 0);
  if (sign === undefined) return within(column, number - 0.5, number + 0.5);
  return sign.startsWith('<') ? within(column, -Infinity, number) : within(column, number, Infinity);
}

const within =
  (column: string, low: number, high: number): Test =>
  (item) => {
    const value = valueOf(item, column);
    return typeof value === 'number' && value >= low && value <= high;
  };

/** Whether a track answers; fails as the core does where the text is none. */
export function parsed(text: string): Test {
  const either: Test[][] = [[]];
  for (const match of text.matchAll(/\||-?(?:[\w]+[:<>=](?:"[^"]*"?|[^\s|])*|"[^"]*"?|[^\s|]+)/g)) {
    const [whole] = match;
    if (whole === '|') {
      either.push([]);
      continue;
    }
    const not = whole.startsWith('-');
    const term = not ? whole.slice(1) : whole;
    const at = match.index + (not ? 1 : 0);
    const field = /^(\w+)(:|(?=[<>=]))(.*)$/s.exec(term);
    const quoted = term.replaceAll('"', '').toLowerCase();
    if (/^"[^"]*$/.test(term)) throw refuse(text, at, at + term.length, 'the quote is not closed', ['"'], null);
    const test: Test = field?.[1] !== undefined ? fieldTest(text, at, field[1], field[3] ?? '') : (item) => ['title', 'artist', 'album', 'path'].some((name) => String(valueOf(item, name) ?? '').toLowerCase().includes(quoted));
    either.at(-1)?.push(not ? (item) => !test(item) : test);
  }
  return (item) => either.some((tests) => tests.every((test) => test(item)));
}

const keyOf = (item: TrackItem, column: string): string | number | null => {
  const value = valueOf(item, column);
  return typeof value === 'string' ? value.toLowerCase() : value;
};

export function sorted(items: TrackItem[], sort: SortBy[]): TrackItem[] {
  const keys = sort.length > 0 ? sort : ['artist', 'album', 'track_no'].map((column) => ({ column, descending: false }));
  const compare = (a: TrackItem, b: TrackItem): number => {
    for (const { column, descending } of keys) {
      const [left, right] = [keyOf(a, column), keyOf(b, column)];
      if (left === right) continue;
      if (left === null) return 1;
      if (right === null) return -1;
      return (left < right ? -1 : 1) * (descending ? -1 : 1);
    }
    return a.id - b.id;
  };
  return items.toSorted(compare);
}

export function completions(text: string, cursor: number): QueryCompletions {
  let failed: QueryCompletions['failure'] = null;
  try {
    parsed(text);
  } catch (error) {
    const { message, notation } = error as Error & { notation: never };
    failed = { code: 'notation', message, notation };
  }
  const before = text.slice(0, cursor);
  const start = Math.max(before.lastIndexOf(' '), before.lastIndexOf('|'), before.lastIndexOf('-')) + 1;
  const typed = before.slice(start).toLowerCase();
  const value = /^(key|genre|format|state):(\w*)$/.exec(typed);
  const choices: Record<string, string[]> = { key: ['Am', 'C', 'Dm', 'F#m'], genre: ['Ambient', 'Classical', 'Jazz'], format: ['FLAC', 'MP3', 'WAV'], state: ['waiting', 'done', 'failed', 'vanished'] };
  const items = value
    ? (choices[value[1] ?? ''] ?? []).filter((each) => each.toLowerCase().startsWith(value[2] ?? '')).map((each) => ({ text: `${value[1]}:${each}`, example: '', help: '' }))
    : Object.entries({ ...Object.fromEntries(COLUMNS.map((each) => [each.name, each.name])), ...ALIASES })
        .filter(([name]) => typed !== '' && name.startsWith(typed))
        .slice(0, 8)
        .map(([name, column]) => ({ text: `${name}:`, example: EXAMPLES[name] ?? `${name}:`, help: COLUMNS.find((each) => each.name === column)?.meaning ?? '' }));
  return { failure: failed, start, end: cursor, items };
}
