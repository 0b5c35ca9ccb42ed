import { describe, expect, it } from 'vitest';
import { decodePeaks, decodeSamples, encodePlanes, type PeakBlock } from '../src/backend/binary';
import { advance, FLOOR_DB, restingBar } from '../src/draw/meters';
import { advanceNeedle, MAX_DB, needleAtRest, reductionTravel, restingNeedle } from '../src/pages/editor/draw/reduction';
import { curvePath, dbFromY, gridHz, hzFromX, levelAt, xFromHz, yFromDb, type PlotArea } from '../src/pages/editor/draw/response';
import { interpolate } from '../src/draw/sinc';
import { TILE_COLUMNS, TileCache } from '../src/draw/tiles';
import { levelOut, placeX, placeY, transferPath } from '../src/pages/editor/draw/transfer';

describe('binary answers', () => {
  it('are read as they are written: planes of minima, maxima and RMS, channel by channel', () => {
    const planes = Array.from({ length: 6 }, (_, i) => Float32Array.from([i, i + 0.5, -i]));
    const block = decodePeaks(encodePlanes([2, 3, 1, 0], planes));
    expect(block).toMatchObject({ channels: 2, columns: 3, exact: true });
    expect([...(block.min[1] ?? [])]).toEqual([3, 3.5, -3]);
    expect([...(block.rms[0] ?? [])]).toEqual([2, 2.5, -2]);
    expect(decodePeaks(encodePlanes([2, 3, 0, 0], planes))).toMatchObject({ exact: false, ahead: false });
    expect(decodePeaks(encodePlanes([2, 3, 2, 0], planes))).toMatchObject({ exact: false, ahead: true });
    expect(decodeSamples(encodePlanes([0, 0, 0, 0], [])).known).toBe(false);
    const samples = decodeSamples(encodePlanes([2, 3, 1, 0], planes.slice(0, 2)));
    expect(samples).toMatchObject({ frames: 3, known: true });
    expect([...(samples.data[1] ?? [])]).toEqual([1, 1.5, -1]);
  });
});

const later = () => new Promise((done) => setTimeout(done, 0));

function cacheOf(frames: number, exact = () => true) {
  const asked: [number, number, number][] = [];
  let arrivals = 0;
  const block = (columns: number): PeakBlock => ({ channels: 1, columns, exact: exact(), ahead: false, min: [new Float32Array(columns)], max: [new Float32Array(columns)], rms: [new Float32Array(columns)] });
  const cache = new TileCache(
    {
      peaks: async (start, end, columns) => {
        asked.push([start, end, columns]);
        return block(columns);
      },
      samples: async (start, end) => ({ channels: 1, frames: end - start, known: true, data: [new Float32Array(end - start)] }),
    },
    frames,
    () => arrivals++,
  );
  const look = (level: number, frame: number) => {
    cache.begin('test');
    const found = cache.find(level, frame);
    cache.end();
    return found;
  };
  return { cache, asked, look, arrivals: () => arrivals };
}

describe('tiles', () => {
  it('of an edited recording are asked for before the next picture is drawn', async () => {
    const { cache, asked, look } = cacheOf(10_000_000);
    look(4, 5_000_000);
    await later();
    asked.length = 0;
    cache.reset(9_000_000);
    expect(asked.some(([start, end]) => start <= 5_000_000 && end - start === TILE_COLUMNS * 16)).toBe(true);
    await later();
    expect(look(4, 5_000_000).right).toBe(true);
    asked.length = 0;
    cache.rest('test');
    cache.reset(8_000_000);
    expect(asked).toEqual([]);
  });

  it('that were asked of a recording before it was edited are neither shown nor waited for', async () => {
    const answers: (() => void)[] = [];
    const asked: number[] = [];
    const block = (level: number): PeakBlock => ({ channels: 1, columns: 1, exact: true, ahead: false, min: [Float32Array.of(-level)], max: [Float32Array.of(level)], rms: [Float32Array.of(level)] });
    const peaks = (_: number, end: number) => new Promise<PeakBlock>((answer) => {
      asked.push(end);
      answers.push(() => answer(block(end)));
    });
    const cache = new TileCache({ peaks, samples: () => Promise.reject(new Error('not asked for')) }, 1000, () => undefined);
    cache.begin('test');
    cache.find(0, 0);
    cache.end();
    cache.reset(900);
    expect(asked).toEqual([1000, 900]);
    answers[0]?.();
    await later();
    cache.begin('test');
    expect(cache.find(0, 0).tile).toBeNull();
    answers[1]?.();
    await later();
    expect(cache.find(0, 0).tile?.block.max[0]?.[0]).toBe(900);
  });

  it('lie on whole powers of two, whatever part is looked at', async () => {
    const { asked, look } = cacheOf(10_000_000);
    look(4, 5_000_000);
    await later();
    const tile = asked.find(([start, end]) => end - start === TILE_COLUMNS * 16);
    expect(tile?.[0]).toBe(Math.floor(5_000_000 / (TILE_COLUMNS * 16)) * TILE_COLUMNS * 16);
    expect(tile?.[2]).toBe(TILE_COLUMNS);
  });

  it('begin with the whole, which stands in for what is missing', async () => {
    const { asked, look } = cacheOf(10_000_000);
    look(0, 5_000_000);
    expect(asked[0]).toEqual([0, 10_000_000, Math.ceil(10_000_000 / 2 ** 14)]);
    await later();
    const found = look(1, 7_000_000);
    expect(found.tile?.startFrame).toBe(0);
    expect(found.right).toBe(false);
  });

  it('end with the recording', async () => {
    const { asked, look } = cacheOf(1500);
    look(0, 1400);
    await later();
    expect(asked).toContainEqual([1024, 1500, 476]);
    expect(look(0, 1400).right).toBe(true);
  });

  it('that were coarse are asked for again once the picture is finer', async () => {
    let fine = false;
    const { cache, asked, look, arrivals } = cacheOf(1000, () => fine);
    look(0, 10);
    await later();
    expect(look(0, 10).right).toBe(false);
    const before = asked.length;
    fine = true;
    cache.refresh();
    expect(arrivals()).toBeGreaterThan(0);
    look(0, 10);
    await later();
    expect(asked.length).toBe(before + 1);
    expect(look(0, 10).right).toBe(true);
  });

  it('are asked for a few at a time and never twice', async () => {
    const { cache, asked } = cacheOf(10_000_000);
    cache.begin('test');
    for (let frame = 0; frame < 10_000_000; frame += TILE_COLUMNS) cache.find(0, frame);
    cache.end();
    cache.end();
    expect(asked.length).toBeLessThanOrEqual(3);
    await later();
    expect(new Set(asked.map(String)).size).toBe(asked.length);
  });
});

describe('the reconstructed curve', () => {
  const hz = 0.19;
  const sine = (at: number) => Math.sin(2 * Math.PI * hz * at + 0.3);

  it('passes through the samples', () => {
    for (let n = 0; n < 50; n++) expect(interpolate(sine, n)).toBe(sine(n));
  });

  it('is the sine between them, to a hundredth of full scale and beyond', () => {
    let worst = 0;
    for (let at = 0; at < 60; at += 0.173) worst = Math.max(worst, Math.abs(interpolate(sine, at) - sine(at)));
    expect(worst).toBeLessThan(0.003);
  });

  it('keeps a constant constant', () => {
    for (let at = 0; at < 3; at += 0.1) expect(interpolate(() => 0.25, at)).toBeCloseTo(0.25, 12);
  });
});

describe('the response plot', () => {
  const area: PlotArea = { width: 320, height: 160, fromHz: 20, toHz: 20_000, rangeDb: 24 };

  it('maps hertz and decibels there and back', () => {
    for (const hz of [20, 100, 1000, 19_999]) expect(hzFromX(xFromHz(hz, area), area)).toBeCloseTo(hz, 6);
    for (const db of [-24, -3, 0, 24]) expect(dbFromY(yFromDb(db, area), area)).toBeCloseTo(db, 9);
    expect(xFromHz(20, area)).toBe(0);
    expect(yFromDb(24, area)).toBe(0);
  });

  it('draws silence beyond its foot and never a broken path', () => {
    const path = curvePath([20, 200, 2000], [0, null, -1e9], area);
    expect(path).not.toMatch(/NaN|Infinity/);
    expect(path.match(/[ML]/g)).toHaveLength(3);
  });

  it('reads a curve between its points', () => {
    expect(levelAt([10, 100, 1000], [0, -10, -20], 100)).toBeCloseTo(-10, 9);
    expect(levelAt([10, 100, 1000], [0, -10, -20], Math.sqrt(1000))).toBeCloseTo(-5, 9);
    expect(levelAt([10, 100, 1000], [0, null, -20], 100)).toBeNull();
    expect(levelAt([], [], 100)).toBeNull();
  });

  it('labels 1, 2 and 5 of each decade', () => {
    const labels = gridHz(20, 24_000).flatMap(({ label }) => (label === null ? [] : [label]));
    expect(labels).toEqual(['50', '100', '200', '500', '1k', '2k', '5k', '10k', '20k']);
  });
});

describe('meters', () => {
  it('rise at once, fall slowly and hold their peak', () => {
    const bar = restingBar();
    advance(bar, -6, -12, 0.016);
    expect(bar).toMatchObject({ peak: -6, rms: -12, hold: -6 });
    advance(bar, null, null, 0.5);
    expect(bar.peak).toBeCloseTo(-18, 6);
    expect(bar.hold).toBe(-6);
    for (let i = 0; i < 100; i++) advance(bar, null, null, 0.1);
    expect(bar).toMatchObject({ peak: FLOOR_DB, hold: FLOOR_DB });
  });
});

describe('a gain-reduction meter', () => {
  it('goes down at once, holds its mark for a second and comes back', () => {
    const needle = restingNeedle();
    advanceNeedle(needle, 12, 0.033);
    expect(needle).toMatchObject({ db: 12, held: 12 });
    advanceNeedle(needle, 2, 0.1);
    expect(needle.db).toBeCloseTo(8);
    expect(needle.held).toBe(12);
    for (let i = 0; i < 12; i++) advanceNeedle(needle, 2, 0.1);
    expect(needle.db).toBe(2);
    expect(needle.held).toBeLessThan(12);
    for (let i = 0; i < 20; i++) advanceNeedle(needle, null, 0.1);
    expect(needleAtRest(needle)).toBe(true);
  });

  it('has room for a single decibel', () => {
    expect(reductionTravel(0)).toBe(0);
    expect(reductionTravel(1)).toBeGreaterThan(0.2);
    expect(reductionTravel(MAX_DB)).toBe(1);
    expect(reductionTravel(90)).toBe(1);
  });
});

describe('the plot of a static curve', () => {
  const curve: [number, number][] = [[-80, -160], [-20, -20], [0, -15]];

  it('has both axes in the same dB, and keeps what leaves it at its edge', () => {
    expect(placeX(6, 120)).toBe(120);
    expect(placeY(6, 120)).toBe(0);
    expect(placeX(-37, 86)).toBe(43);
    expect(transferPath(curve, 86)).toBe('M0.00 86.00L60.00 26.00L80.00 21.00');
  });

  it('tells the level that comes out', () => {
    expect(levelOut(curve, -19)).toBe(-20);
    expect(levelOut([], 0)).toBe(null);
  });
});
