import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TILE_SIDE, type CodeBlock } from '../src/backend';
import type { SpectrogramTile } from '../src/bindings';
import { cellsOf, patchOf, type Window } from '../src/draw/spectrogram-grid';
import { joinTiles, TILE_BYTES, TILE_STRIDE, tileFrom } from '../src/draw/spectrogram-tile';
import { SpectrogramTiles, type Layer } from '../src/draw/spectrogram-tiles';
import { WHOLE_AXIS } from '../src/lib/frequency-scale';

const analysis = { method: 'fourier', bins_per_octave: 36, window: 'hann', window_frames: 2048, padding: 1, scale: 'mel' } as const;
const layer = (change: Partial<Layer> = {}): Layer => ({ analysis, channels: 'each', lane: 0, side: 'original', chain: '', ...change });
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

// Moments of rest are counted in milliseconds, whatever else the machine does.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const block = (tile: SpectrogramTile, exact = true, columns = TILE_SIDE): CodeBlock => {
  const rows = tile.row_tiles * TILE_SIDE;
  const codes = new Uint16Array(columns * rows);
  // Every code tells its absolute column and row.
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) codes[row * columns + column] = (tile.column_tile * TILE_SIDE + column) * 7 + (tile.row_tile * TILE_SIDE + row);
  return { columns, rows, exact, codes };
};

function fake(frames: number, answer: (tile: SpectrogramTile) => CodeBlock | Promise<CodeBlock> = (tile) => block(tile), mostBytes?: number) {
  const asked: SpectrogramTile[] = [];
  const cancelled: number[] = [];
  let flying = 0;
  let most = 0;
  let drawn = 0;
  const tiles = new SpectrogramTiles(
    async (tile) => {
      asked.push(tile);
      most = Math.max(most, ++flying);
      await new Promise((done) => setTimeout(done));
      flying--;
      return answer(tile);
    },
    frames,
    () => drawn++,
    (requests) => cancelled.push(...requests),
    mostBytes,
  );
  const look = (window: Window, of: Layer = layer()) => {
    tiles.begin();
    const patches = tiles.patches(of, window);
    tiles.end();
    return patches;
  };
  const fill = async (window: Window, of?: Layer) => {
    for (let i = 0; i < 80; i++) {
      look(window, of);
      await pass(2);
    }
    return look(window, of);
  };
  return { tiles, asked, cancelled, look, fill, mostFlying: () => most, askedToDraw: () => drawn };
}

const window = (start: number, end: number, width = 1000, height = 500): Window => ({ view: { start, end }, axis: WHOLE_AXIS, width, height, finer: 1 });

describe('the grid', () => {
  it('gives up what is no longer to be seen, and only that', async () => {
    const { asked, cancelled, look } = fake(2 ** 24);
    look(window(0, 2 ** 18));
    const before = asked.map((tile) => tile.request);
    expect(before.length).toBeGreaterThan(0);
    look(window(0, 2 ** 18));
    expect(cancelled).toEqual([]);
    look(window(2 ** 23, 2 ** 23 + 2 ** 18));
    // The picture of the whole stands in for everything and is waited for.
    expect(cancelled).toEqual(before.filter((request) => asked.find((tile) => tile.request === request)?.level !== 16));
    await pass(1);
  });

  it('takes the powers of two nearest to the pixels', () => {
    expect(cellsOf(window(0, 1_000_000), 1_000_000)).toMatchObject({ level: 10, rowLevel: 1, firstColumn: 0, lastColumn: 3, firstRow: 0, lastRow: 1 });
    expect(cellsOf({ ...window(0, 100), axis: { bottom: 0.5, top: 0.625 } }, 1_000_000)).toMatchObject({ level: 0, rowLevel: 4, firstRow: 8, lastRow: 9 });
  });

  it('chooses for the picture at rest while a coarse one is drawn', () => {
    expect(cellsOf({ ...window(0, 512_000, 500, 250), finer: 2 }, 10_000_000)).toEqual(cellsOf(window(0, 512_000, 1000, 500), 10_000_000));
  });

  it('covers every pixel once', () => {
    const tile = tileFrom(block({ row_tiles: 1, row_tile: 0, column_tile: 0 } as SpectrogramTile), 0);
    for (const seen of [window(12_345.6, 987_654.3), window(100, 437, 911, 377), { ...window(3e5, 4e5), axis: { bottom: 0.31, top: 0.47 } }]) {
      const cells = cellsOf(seen, 1_000_000);
      const hits = new Uint8Array(seen.width * seen.height);
      for (let column = cells.firstColumn; column <= cells.lastColumn; column++) {
        for (let row = cells.firstRow; row <= cells.lastRow; row++) {
          const cell = { level: cells.level, column, rowLevel: cells.rowLevel, row };
          const patch = patchOf(cell, cell, tile, seen, 1_000_000);
          if (!patch) continue;
          for (let y = patch.y0; y < patch.y1; y++) for (let x = patch.x0; x < patch.x1; x++) hits[y * seen.width + x] = (hits[y * seen.width + x] ?? 0) + 1;
          // The ends of a patch lie within the tile and its border.
          for (const [first, step, count] of [[patch.u0, patch.du, patch.x1 - patch.x0], [patch.v0, patch.dv, patch.y1 - patch.y0]] as const) {
            for (const place of [first, first + step * (count - 1)]) {
              expect(place).toBeGreaterThanOrEqual(0);
              expect(place).toBeLessThan((TILE_SIDE + 1) * 65_536);
            }
          }
        }
      }
      expect(hits.every((count) => count === 1)).toBe(true);
    }
  });
});

describe('a tile', () => {
  it('takes its border from its neighbours', () => {
    const at = (column_tile: number, row_tile: number) => tileFrom(block({ column_tile, row_tile, row_tiles: 1 } as SpectrogramTile), 0);
    const tile = at(1, 1);
    const read = (column: number, row: number) => tile.codes[(row + 1) * TILE_STRIDE + column + 1];
    const code = (column: number, row: number) => ((256 + column) * 7 + 256 + row) & 65_535;
    expect(read(-1, 5)).toBe(code(0, 5));
    for (const [right, up] of [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]] as const) joinTiles(tile, at(1 + right, 1 + up), right, up);
    for (const [column, row] of [[-1, -1], [256, 256], [-1, 256], [256, -1], [-1, 100], [256, 100], [40, -1], [40, 256], [40, 40]] as const) expect(read(column, row), `${column} ${row}`).toBe(code(column, row));
  });
});

describe('spectrogram tiles', () => {
  it('begin with the whole, then the middle of what is seen, a few at a time', async () => {
    const { asked, fill, mostFlying, tiles } = fake(10_000_000);
    const patches = await fill(window(2_000_000, 4_000_000));
    expect(asked[0]).toMatchObject({ level: 16, column_tile: 0, row_level: 0, row_tiles: 1 });
    const fine = asked.filter((tile) => tile.level === 11);
    expect(fine[0]?.column_tile).toBe(5);
    expect(fine.every((tile) => tile.row_tiles === 2)).toBe(true);
    // One column of tiles to both sides, for scrolling.
    expect(fine.map((tile) => tile.column_tile).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(mostFlying()).toBeLessThanOrEqual(6);
    expect(tiles.exact).toBe(true);
    expect(new Set(patches.map((patch) => patch.du)).size).toBe(1);
    expect(new Set(asked.map((tile) => JSON.stringify({ ...tile, request: 0 }))).size).toBe(asked.length);
  });

  it('come one after the other without a picture between each, and are drawn when they are there', async () => {
    const { asked, look, fill, askedToDraw } = fake(10_000_000);
    await fill(window(2_000_000, 4_000_000));
    // Stood in for by what is there: four columns of tiles and those beside them, asked for when the zoom rests.
    await pass(100);
    asked.length = 0;
    const before = askedToDraw();
    look(window(2_000_000, 3_000_000));
    expect(asked).toEqual([]);
    await pass(150);
    expect(asked.length).toBeGreaterThan(3);
    expect(askedToDraw() - before).toBe(1);
    asked.length = 0;
    look(window(2_000_000, 3_000_000));
    expect(asked).toEqual([]);
  });

  it('are drawn when all is there that is in sight, whatever is still to come beside it', async () => {
    let release = () => {};
    const late = new Promise<void>((done) => (release = done));
    const seen = cellsOf(window(2_000_000, 3_000_000), 10_000_000);
    const isBeside = (tile: SpectrogramTile) => tile.level === seen.level && (tile.column_tile < seen.firstColumn || tile.column_tile > seen.lastColumn);
    const { tiles, look, fill, asked, askedToDraw } = fake(10_000_000, async (tile) => {
      if (isBeside(tile)) await late;
      return block(tile);
    });
    await fill(window(2_000_000, 4_000_000));
    look(window(2_000_000, 3_000_000));
    const before = askedToDraw();
    await pass(150);
    expect(asked.some(isBeside)).toBe(true);
    expect(askedToDraw() - before).toBe(1);
    look(window(2_000_000, 3_000_000));
    expect(tiles.exact).toBe(true);
    release();
    await pass(20);
    expect(askedToDraw() - before).toBeLessThanOrEqual(2);
  });

  it('that came coarse while others beside the view were on their way are asked for again', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((done) => (release = done));
    const first = 4;
    const { asked, look, askedToDraw } = fake(2 ** 22, async (tile) => {
      // Tiles beside the view take long; those in sight come at once, but coarse.
      if (tile.column_tile === first - 1 || tile.column_tile === first + 4) await held;
      return block(tile, false);
    });
    const view = window(2 ** 10 * first * 256, 2 ** 10 * (first + 4) * 256, 1024);
    for (let i = 0; i < 20; i++) {
      look(view);
      await pass(1);
    }
    const [before, drawn] = [asked.length, askedToDraw()];
    release();
    await pass(1000);
    expect(askedToDraw()).toBeGreaterThan(drawn);
    look(view);
    await pass(10);
    expect(asked.length).toBeGreaterThan(before);
  });

  it('stand in for finer and for coarser ones while these come', async () => {
    const { look, fill, tiles } = fake(10_000_000);
    await fill(window(2_000_000, 4_000_000));
    const closer = look(window(2_900_000, 3_100_000));
    expect(closer.length).toBeGreaterThan(0);
    expect(tiles.exact).toBe(false);
    // Eight pixels a column and more: a coarse picture drawn wide.
    expect(closer.every((patch) => patch.du < 65_536 / 4)).toBe(true);
    const farther = look(window(0, 9_000_000));
    expect(farther.some((patch) => patch.du > 65_536 * 2)).toBe(true);
  });

  it('are not asked for while a zoom goes on that something stands in for, and come when it rests', async () => {
    const { asked, look, fill } = fake(10_000_000);
    await fill(window(2_000_000, 4_000_000));
    asked.length = 0;
    for (const width of [900_000, 800_000, 700_000, 600_000]) {
      look(window(3_000_000 - width, 3_000_000 + width / 2));
      await pass(1);
    }
    expect(asked).toEqual([]);
    const last = window(2_400_000, 3_300_000);
    await pass(150);
    look(last);
    expect(asked.length).toBeGreaterThan(0);
    await fill(last);
    // So deep that nothing worth looking at stands in: that is not put off.
    asked.length = 0;
    look(window(3_000_000, 3_002_000));
    expect(asked.length).toBeGreaterThan(0);
  });

  it('are asked for while the view scrolls', async () => {
    const { asked, look, fill } = fake(10_000_000);
    await fill(window(2_000_000, 4_000_000));
    asked.length = 0;
    look(window(5_000_000, 7_000_000));
    expect(asked.length).toBeGreaterThan(0);
  });

  it('are asked for again when they were dropped or coarse, and rest when they failed', async () => {
    let turn = 0;
    const { asked, fill } = fake(100_000, (tile) => {
      if (turn++ === 0) throw { code: 'cancelled', message: '', detail: null, notation: null };
      return block(tile, turn > 3);
    });
    await fill(window(0, 100_000));
    await pass(10_000);
    await fill(window(0, 100_000));
    const coarse = asked.length;
    expect(coarse).toBeGreaterThan(4);
    await pass(10_000);
    await fill(window(0, 100_000));
    expect(asked.length).toBe(coarse);
    const broken = fake(100_000, () => {
      throw { code: 'malformed', message: 'unreadable', detail: null, notation: null };
    });
    await broken.fill(window(0, 100_000));
    expect(broken.asked.length).toBeLessThan(6);
  });

  it('of the processed side are made anew with the chain, the old ones standing in', async () => {
    const { asked, fill, look } = fake(100_000);
    await fill(window(0, 100_000), layer({ side: 'processed', chain: 'gain(1 dB)' }));
    const before = asked.length;
    expect(look(window(0, 100_000), layer({ side: 'processed', chain: 'gain(2 dB)' })).length).toBeGreaterThan(0);
    await fill(window(0, 100_000), layer({ side: 'processed', chain: 'gain(2 dB)' }));
    expect(asked.length).toBeGreaterThan(before);
    const original = asked.length;
    await fill(window(0, 100_000), layer({ chain: 'gain(1 dB)' }));
    const after = asked.length;
    expect(after).toBeGreaterThan(original);
    await fill(window(0, 100_000), layer({ chain: 'gain(2 dB)' }));
    expect(asked.length).toBe(after);
  });

  it('keep to their cap, the least used going first', async () => {
    const { fill, tiles, asked } = fake(100_000_000, undefined, TILE_BYTES * 24);
    await fill(window(0, 2_000_000));
    await fill(window(50_000_000, 52_000_000));
    expect(tiles.bytes).toBeLessThanOrEqual(TILE_BYTES * 24);
    const before = asked.length;
    await fill(window(50_000_000, 52_000_000));
    expect(asked.length).toBe(before);
    const other = fake(100_000_000);
    for (let part = 0; part < 5; part++) await other.fill(window(part * 20_000_000, part * 20_000_000 + 2_000_000, 4000));
    expect(other.tiles.bytes).toBeGreaterThan(16 * 2 ** 20);
    other.tiles.rest();
    expect(other.tiles.bytes).toBeLessThanOrEqual(16 * 2 ** 20);
  });
});
