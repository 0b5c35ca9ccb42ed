import { describe, expect, it } from 'vitest';
import { ALL_TRACKS, decodeMap, encodeMap, NO_SHARE, shareOf, storedShare, type MapBlock } from '../src/backend/map';
import type { TrackItem } from '../src/bindings';
import { App } from '../src/state/app.svelte';
import { eventually } from './mounted';
import { analysedOf, recorded } from './recorded';

/** Writes a map byte by byte from the description, without using the encoder. */
function written(points: { id: number; x: number; y: number; shares: number[] }[], outdated: boolean, kept: number): ArrayBuffer {
  const dimensions = points[0]?.shares.length ?? 0;
  const view = new DataView(new ArrayBuffer(56 + points.length * (16 + 2 * dimensions)));
  [1, points.length, dimensions, outdated ? 1 : 0].forEach((word, at) => view.setUint32(at * 4, word, true));
  view.setUint32(16, Number.isNaN(kept) ? 0 : 9, true);
  [kept, kept + 0.125, kept + 0.25].forEach((share, at) => view.setFloat32(20 + at * 4, share, true));
  view.setUint32(32, 5, true);
  view.setFloat32(36, 0.03125, true);
  // A map without points has no directions.
  view.setUint32(40, points.length > 0 ? 14 : 0xffff_ffff, true);
  view.setFloat32(44, points.length > 0 ? -0.75 : NaN, true);
  view.setUint32(48, 0xffff_ffff, true);
  view.setFloat32(52, NaN, true);
  let at = 56;
  for (const { id } of points) view.setFloat64((at += 8) - 8, id, true);
  for (const { x } of points) view.setFloat32((at += 4) - 4, x, true);
  for (const { y } of points) view.setFloat32((at += 4) - 4, y, true);
  for (let dimension = 0; dimension < dimensions; dimension++) for (const { shares } of points) view.setUint16((at += 2) - 2, shares[dimension] ?? 0, true);
  expect(at).toBe(view.byteLength);
  return view.buffer;
}

const POINTS = [
  { id: 7, x: 0, y: 1, shares: [0, NO_SHARE, 3] },
  { id: 2 ** 53 - 1, x: 0.25, y: 0.5, shares: [ALL_TRACKS, 1, 2] },
  { id: 3, x: 1, y: 0.125, shares: [32_767, 5, 4] },
];

describe('the map in binary', () => {
  it('is read as it is described', () => {
    const map = decodeMap(written(POINTS, true, 0.5));
    expect([...(map?.ids ?? [])]).toEqual([7, 2 ** 53 - 1, 3]);
    expect([...(map?.x ?? [])]).toEqual([0, 0.25, 1]);
    expect([...(map?.y ?? [])]).toEqual([1, 0.5, 0.125]);
    expect(map?.shares.map((each) => [...each])).toEqual([[0, ALL_TRACKS, 32_767], [NO_SHARE, 1, 5], [3, 2, 4]]);
    expect(map).toMatchObject({ quality: { neighbours: 9, kept: 0.5, trustworthiness: 0.625, continuity: 0.75 }, alike: { pairs: 5, farthest: 0.03125 }, across: { dimension: 14, correlation: -0.75 }, down: null, outdated: true });
    expect(decodeMap(written(POINTS, false, NaN))).toMatchObject({ quality: null, outdated: false });
  });

  it('is written as it is described', () => {
    const bytes = (buffer: ArrayBuffer) => [...new Uint8Array(buffer)];
    for (const points of [POINTS, POINTS.slice(0, 1), POINTS.slice(0, 2)]) {
      const map = decodeMap(written(points, true, 0.5));
      expect(bytes(encodeMap(map, true))).toEqual(bytes(written(points, true, 0.5)));
    }
  });

  it('is none before the first time, and may have no points', () => {
    expect(decodeMap(encodeMap(null, true))).toBeNull();
    expect(decodeMap(new ArrayBuffer(56))).toBeNull();
    const empty = decodeMap(written([], false, NaN));
    expect(empty?.ids.length).toBe(0);
    expect(empty?.shares).toEqual([]);
    const map = decodeMap(written(POINTS, true, 0.5));
    const header = encodeMap(map, false);
    expect(header.byteLength).toBe(56);
    expect(decodeMap(header)).toMatchObject({ outdated: true, quality: { neighbours: 9 }, across: null });
  });

  it('refuses what was cut off', () => {
    const whole = written(POINTS, false, 0.5);
    for (const cut of [20, 56, 92, whole.byteLength - 1]) expect(() => decodeMap(whole.slice(0, cut)), String(cut)).toThrow();
  });

  it('keeps shares to a hundredth of a per cent, and knows nothing from 0', () => {
    for (let share = 0; share <= 1; share += 0.00137) expect(Math.abs((shareOf(storedShare(share)) ?? NaN) - share)).toBeLessThan(0.0001);
    expect(shareOf(storedShare(null))).toBeNull();
    expect(shareOf(storedShare(0))).toBe(0);
    expect(shareOf(storedShare(1))).toBe(1);
    expect(shareOf(undefined)).toBeNull();
  });

  it('is a quarter of what JSON takes', () => {
    const count = 1000;
    const at = (seed: number) => (Math.imul(seed + 1, 2_654_435_761) >>> 0) / 2 ** 32;
    const column = (from: number) => Float32Array.from({ length: count }, (_, point) => at(from + point));
    const map: MapBlock = { ids: Float64Array.from({ length: count }, (_, point) => 90_000 + point), x: column(0), y: column(5000), shares: Array.from({ length: 25 }, (_, dimension) => Uint16Array.from(column(dimension * count), storedShare)), quality: null, alike: { pairs: 0, farthest: 0 }, across: null, down: null, outdated: false };
    const json = JSON.stringify({ ids: [...map.ids], x: [...map.x].map((value) => Number(value.toPrecision(8))), y: [...map.y].map((value) => Number(value.toPrecision(8))), colours: map.shares.map((shares) => [...shares].map((stored) => Number((shareOf(stored) ?? 0).toPrecision(8)))) });
    expect(encodeMap(map, true).byteLength).toBeLessThan(json.length / 4);
  });
});

describe('the map that the window shows', () => {
  it('is the backend’s, coloured by the dimension of that name', async () => {
    const backend = recorded('library');
    const app = new App(backend);
    await app.start();
    await app.library.load();
    const { map } = app.library.questions;
    await map.load();
    expect(map.data).toBeNull();
    await map.make();
    await eventually(() => expect(map.data).not.toBeNull());
    const ids = [...(map.data?.ids ?? [])];
    expect(ids.toSorted((a, b) => a - b)).toEqual((await analysedOf(backend)).map((item) => item.id).toSorted((a, b) => a - b));
    const tracks = await backend.call('library.rows', { tracks: ids });
    const at = app.library.view?.dimensions.findIndex((each) => each.name === 'tempo_bpm') ?? -1;
    map.colour = 'tempo_bpm';
    const valueOf = (item: TrackItem): number | null => item.features[at] ?? null;
    const known = (await analysedOf(backend)).map(valueOf).filter((value) => value !== null);
    tracks.map(valueOf).forEach((value, point) => {
      const lower = known.filter((each) => value !== null && each < value).length;
      const share = shareOf(map.shares?.[point]);
      if (value === null) expect(share).toBeNull();
      else {
        expect(share).toBeGreaterThan(lower / known.length - 0.01);
        // Recorded values are rounded; what is equal then may have been lower.
        const equal = known.filter((each) => each === value).length;
        expect(share).toBeLessThan((lower + equal - 1) / known.length + 0.01);
      }
    });
    map.colour = 'no such thing';
    expect(map.shares).toBeNull();
  });
});
