import { describe, expect, it } from 'vitest';
import { codeFromDb, dbFromCode, decodeCodes } from '../src/backend';
import { encodeCodes } from '../src/backend/binary';
import { mockBackend } from '../src/backend/mock';
import type { SpectrogramTile } from '../src/bindings';

const tile = (change: Partial<SpectrogramTile> = {}): SpectrogramTile => ({
  analysis: { method: 'fourier', bins_per_octave: 36, window: 'hann', window_frames: 2048, padding: 1, scale: 'linear' },
  channels: 'each',
  lane: 0,
  side: 'original',
  level: 10,
  column_tile: 0,
  row_level: 0,
  row_tile: 0,
  row_tiles: 1,
  request: 1,
  ...change,
});

describe('codes', () => {
  it('are decibels in steps of 5 mdB, silence being 0', () => {
    expect(codeFromDb(0)).toBe(40_000);
    expect(codeFromDb(-Infinity)).toBe(0);
    expect(codeFromDb(-300)).toBe(0);
    expect(dbFromCode(codeFromDb(-37.215))).toBeCloseTo(-37.215, 9);
    const block = decodeCodes(encodeCodes(2, 2, false, Uint16Array.from([1, 2, 3, 4])));
    expect(block).toMatchObject({ columns: 2, rows: 2, exact: false });
    expect([...block.codes]).toEqual([1, 2, 3, 4]);
  });
});

describe('the synthetic backend', () => {
  it('makes tiles whose lowest row comes first, and drops what is no longer looked at', async () => {
    const backend = mockBackend(undefined, 0);
    const id = (await backend.call('open_demo', {})).documents[0]?.id ?? 0;
    const old = backend.spectrogram(id, tile());
    const next = backend.spectrogram(id, tile({ request: 2 }));
    await backend.call('cancel_tiles', { document: id, requests: [1] });
    await expect(old).rejects.toMatchObject({ code: 'cancelled' });
    const block = decodeCodes(await next);
    expect(block).toMatchObject({ columns: 256, rows: 256, exact: true });
    const mean = (row: number) => block.codes.subarray(row * 256, row * 256 + 256).reduce((sum, code) => sum + code, 0) / 256;
    expect(mean(2)).toBeGreaterThan(mean(200));
  });

  it('answers coarsely first where columns are wide', async () => {
    const backend = mockBackend(undefined, 0);
    const id = (await backend.call('open_demo', {})).documents[0]?.id ?? 0;
    const wide = tile({ level: 13 });
    expect(decodeCodes(await backend.spectrogram(id, wide)).exact).toBe(false);
    expect(decodeCodes(await backend.spectrogram(id, wide)).exact).toBe(true);
  });

  it('finds the peak of a tone between bins', async () => {
    const backend = mockBackend(undefined, 0);
    const id = (await backend.call('open_demo', {})).documents[0]?.id ?? 0;
    const at = await backend.call('spectrum_at', { document: id, analysis: { ...tile().analysis, window_frames: 4096, padding: 2 }, channels: 'each', lane: 0, side: 'original', frame: 48_000 * 4.1, hz: 450 });
    // The melody begins with the A an octave above 220 Hz.
    expect(at.peak_hz).toBeGreaterThan(436);
    expect(at.peak_hz).toBeLessThan(444);
    expect(at.peak_db).toBeGreaterThan(-40);
  });
});
