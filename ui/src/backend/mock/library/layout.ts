// A map: tracks of a genre lie about a middle of their own.

import type { TrackItem } from '../../../bindings';
import { storedShare, type MapBlock } from '../../map';
import { DIMENSIONS } from './dimensions';
import { bell, mixed, share } from './noise';

const held = (value: number): number => Math.min(1, Math.max(0, value));

export function layoutOf(items: readonly TrackItem[]): MapBlock {
  const there = items.filter((item) => item.state === 'done');
  const x = there.map((item) => {
    const genre = item.genre ? mixed(item.genre.length, item.genre.charCodeAt(0)) : 0;
    return held(0.2 + 0.6 * share(genre, 90) + 0.16 * bell(item.id, 91));
  });
  const y = there.map((item) => {
    const genre = item.genre ? mixed(item.genre.length, item.genre.charCodeAt(0)) : 0;
    return held(0.2 + 0.6 * share(genre, 92) + 0.14 * bell(item.id, 93));
  });
  const shares = DIMENSIONS.map((_, at) => Uint16Array.from(percentiles(there.map((item) => item.features[at] ?? null)), storedShare));
  return { ids: Float64Array.from(there, (item) => item.id), x: Float32Array.from(x), y: Float32Array.from(y), shares, trustworthiness: 0.91, outdated: false };
}

function percentiles(values: (number | null)[]): (number | null)[] {
  const sorted = values.filter((each) => each !== null).sort((a, b) => a - b);
  const below = new Map<number, number>();
  sorted.forEach((value, at) => below.has(value) || below.set(value, at / Math.max(1, sorted.length)));
  return values.map((value) => (value === null ? null : (below.get(value) ?? null)));
}
