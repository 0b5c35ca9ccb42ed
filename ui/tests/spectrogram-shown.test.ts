import { describe, expect, it } from 'vitest';
import { TILE_SIDE, type CodeBlock } from '../src/backend';
import type { SpectrogramTile } from '../src/bindings';
import { CanvasRenderer } from '../src/draw/spectrogram-canvas';
import type { LanesPicture } from '../src/draw/spectrogram-lanes';
import { colourTables, resolve, UNKNOWN, type Picture } from '../src/draw/spectrogram-picture';
import { ShownPicture } from '../src/draw/spectrogram-shown';
import { SpectrogramTiles } from '../src/draw/spectrogram-tiles';
import { lanesOf } from '../src/draw/waveform';
import { positionFromHz, WHOLE_AXIS } from '../src/lib/frequency-scale';

const RATE = 48_000;
const FRAMES = 4_000_000;
const tables = colourTables({ colours: 'grey', gain_db: 0, range_db: 100 });
const analysis = { method: 'fourier', bins_per_octave: 36, window: 'hann', window_frames: 2048, padding: 1, scale: 'mel' } as const;
const look = (change: Partial<LanesPicture> = {}): LanesPicture => ({
  view: { start: 0, end: FRAMES },
  axis: WHOLE_AXIS,
  analysis,
  compare: 'off',
  side: 'original',
  chain: '',
  wipe: 0.5,
  set: { channels: 'mix', count: 1 },
  lanes: lanesOf(1, 200, 1),
  width: 400,
  height: 200,
  finer: 1,
  tables,
  ...change,
});

type Answer = (tile: SpectrogramTile) => number | null | 'fails';

/** Every tile is of one code, which tells what it was asked with; null is an answer that waits for `release`. */
function world(answering: Answer) {
  const waiting: (() => void)[] = [];
  const tiles = new SpectrogramTiles(
    async (tile): Promise<CodeBlock> => {
      let code = answering(tile);
      while (code === null) {
        await new Promise<void>((done) => waiting.push(done));
        code = answering(tile);
      }
      if (code === 'fails') throw { code: 'malformed', message: '', detail: null, notation: null };
      const rows = tile.row_tiles * TILE_SIDE;
      return { columns: TILE_SIDE, rows, exact: true, codes: new Uint16Array(TILE_SIDE * rows).fill(code) };
    },
    FRAMES,
    () => undefined,
    () => undefined,
  );
  const shown = new ShownPicture(tiles, RATE);
  const fill = async (of: LanesPicture) => {
    for (let i = 0; i < 40; i++) {
      shown.next(of);
      await new Promise((done) => setTimeout(done, 0));
    }
    return shown.next(of);
  };
  const answer = (next: Answer) => {
    answering = next;
    for (const done of waiting.splice(0)) done();
  };
  return { shown, fill, answer };
}

/** The codes that a picture shows; 65535 where it shows nothing. */
function codes(picture: Picture): Set<number> {
  const plane = new Uint16Array(picture.width * picture.height).fill(UNKNOWN);
  for (const side of ['original', 'processed'] as const) for (const patch of picture[side]) resolve(plane, picture.width, patch);
  return new Set(plane);
}

describe('the picture that is shown', () => {
  it.each([
    ['scale', { scale: 'log' }],
    ['window', { window: 'kaiser' }],
    ['size', { window_frames: 8192 }],
    ['method', { method: 'reassigned' }],
  ] as const)('stays when the %s changes until the new one has something everywhere', async (_, change) => {
    const { fill, answer } = world(() => 100);
    expect((await fill(look())).exact).toBe(true);
    answer(() => null);
    const next = look({ analysis: { ...analysis, ...change } });
    const meanwhile = await fill(next);
    expect(codes(meanwhile.picture)).toEqual(new Set([100]));
    expect(meanwhile.exact).toBe(false);
    answer(() => 200);
    const last = await fill(next);
    expect(codes(last.picture)).toEqual(new Set([200]));
    expect(last.exact).toBe(true);
  });

  it('is the new one as soon as all of it is there, and not before', async () => {
    const { fill, answer } = world(() => 100);
    await fill(look());
    const next = look({ analysis: { ...analysis, scale: 'log' } });
    // Of the two columns of tiles only the first comes.
    answer((tile) => (tile.level < 14 && tile.column_tile === 0 ? 200 : null));
    expect(codes((await fill(next)).picture)).toEqual(new Set([100]));
    // The whole recording as one tile is coarse, but everywhere.
    answer((tile) => (tile.level === 14 ? 300 : tile.column_tile === 0 ? 200 : null));
    const coarse = await fill(next);
    expect(codes(coarse.picture)).toEqual(new Set([200, 300]));
    expect(coarse.exact).toBe(false);
  });

  it('is of the side that is asked for, the one before staying until that is there, and both are kept', async () => {
    const asked: string[] = [];
    const { fill, answer, shown } = world((tile) => (tile.side === 'original' ? 100 : null));
    expect(codes((await fill(look())).picture)).toEqual(new Set([100]));
    const processed = look({ side: 'processed', chain: 'gain(6 dB)' });
    const meanwhile = await fill(processed);
    expect([meanwhile.of.side, meanwhile.exact]).toEqual(['original', false]);
    answer((tile) => (asked.push(tile.side), tile.side === 'original' ? 100 : 200));
    const there = await fill(processed);
    expect([there.of.side, there.exact]).toEqual(['processed', true]);
    expect(codes(there.picture)).toEqual(new Set([200]));
    expect(new Set(asked.splice(0))).toEqual(new Set(['processed']));
    for (const of of [look(), processed, look()]) expect(shown.next(of)).toMatchObject({ exact: true, of: { side: of.side } });
    await fill(look());
    expect(asked).toEqual([]);
  });

  it('stays right while it is scrolled and zoomed, on its own scale', async () => {
    const { shown, fill, answer } = world(() => 100);
    await fill(look());
    answer(() => null);
    const low = positionFromHz(1000, 'log', RATE);
    const held = shown.next(look({ view: { start: 1_000_000, end: 2_000_000 }, axis: { bottom: low, top: 1 }, analysis: { ...analysis, scale: 'log' } }));
    expect(held.of.analysis.scale).toBe('mel');
    expect(held.of.axis.bottom).toBeCloseTo(positionFromHz(1000, 'mel', RATE), 9);
    expect(held.of.view).toEqual({ start: 1_000_000, end: 2_000_000 });
    expect(codes(held.picture)).toEqual(new Set([100]));
  });

  it('survives settings that are passed through before anything of them came', async () => {
    const { shown, fill, answer } = world(() => 100);
    await fill(look());
    answer(() => null);
    for (const window_frames of [256, 512, 1024, 4096, 8192, 16_384]) {
      expect(codes(shown.next(look({ analysis: { ...analysis, window_frames } })).picture), `${window_frames}`).toEqual(new Set([100]));
    }
  });

  it('is not waited for where it cannot be had', async () => {
    const { fill, answer } = world(() => 100);
    await fill(look());
    answer(() => 'fails');
    const failed = await fill(look({ analysis: { ...analysis, scale: 'log' } }));
    expect(failed.of.analysis.scale).toBe('log');
    expect(codes(failed.picture)).toEqual(new Set([UNKNOWN]));
  });

  it('shows nothing of another one that its renderer still holds', async () => {
    let pixels = new Uint32Array(0);
    const context = {
      canvas: { width: 0, height: 0 },
      createImageData: (width: number, height: number) => ({ width, height, data: new Uint8ClampedArray(width * height * 4) }),
      putImageData: (image: ImageData) => (pixels = new Uint32Array(image.data.slice().buffer)),
    } as unknown as CanvasRenderingContext2D;
    const renderer = new CanvasRenderer(context);
    const { shown, fill } = world((tile) => (tile.side === 'processed' ? 30_000 : null));
    renderer.draw((await fill(look({ side: 'processed' }))).picture);
    expect(pixels.every((pixel) => pixel !== 0)).toBe(true);
    const empty = { ...shown.next(look({ side: 'processed' })).picture, processed: [], form: 'another' };
    renderer.draw(empty);
    expect(pixels.every((pixel) => pixel === 0)).toBe(true);
  });
});
