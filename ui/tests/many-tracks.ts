// A library of many tracks: each of the recorded ones stands there many times, in the same order.

import type { Backend } from '../src/backend';
import type { Commands, TrackItem, TrackListQuery, TrackPage } from '../src/bindings';

/** The first number of a copy of a track. */
const STRIDE = 10_000;

export interface ManyTracks {
  /** How often each track stands there. */
  times: number;
  /** Rows that come before all others. */
  before: TrackItem[];
}

export function manyTracks(backend: Backend, many: ManyTracks): Backend {
  const copy = (row: TrackItem, at: number): TrackItem => ({ ...row, id: row.id * STRIDE + at });
  const call = backend.call.bind(backend);
  const all = async (query: TrackListQuery): Promise<TrackItem[]> => (await call('library.tracks', { query, offset: 0, limit: 200 })).rows;
  const page = async ({ query, offset, limit }: Commands['library.tracks']['args']): Promise<TrackPage> => {
    const rows = await all(query);
    const { before, times } = many;
    const total = before.length + rows.length * times;
    const row = (place: number): TrackItem => before[place] ?? copy(rows[Math.floor((place - before.length) / times)]!, (place - before.length) % times);
    return { total, offset, rows: Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) => row(offset + at)) };
  };
  const position = async ({ query, track }: Commands['library.position']['args']): Promise<number | null> => {
    const at = (await all(query)).findIndex((row) => row.id === Math.floor(track / STRIDE));
    return at === -1 ? null : many.before.length + at * many.times + (track % STRIDE);
  };
  backend.call = ((name: 'library.tracks', args: never) => {
    if (name === 'library.tracks') return page(args);
    return (name as string) === 'library.position' ? position(args) : call(name, args);
  }) as Backend['call'];
  return backend;
}
