import { describe, expect, it } from 'vitest';
import type { Side, SpectrumAt } from '../src/bindings';
import { contentAt } from '../src/lib/lanes';
import { changeOf, peakOf, sidesOf } from '../src/lib/reading';
import { SpectrogramState } from '../src/state/spectrogram.svelte';

const at = (db: number | null): SpectrumAt => ({ db, peak_hz: 440, peak_db: -20, phase_rad: 1 });
const view = { start: 1000, end: 2000 };

describe('what a place shows', () => {
  it('is a side, or both', () => {
    expect(contentAt('off', 'original', 0.5, 1999, view)).toBe('original');
    expect(contentAt('off', 'processed', 0.5, 1001, view)).toBe('processed');
    expect(contentAt('difference', 'original', 0.5, 1001, view)).toBe('difference');
    expect(contentAt('wipe', 'processed', 0.25, 1249, view)).toBe('original');
    expect(contentAt('wipe', 'original', 0.25, 1251, view)).toBe('processed');
  });
});

describe('a reading', () => {
  it('tells both levels and their difference where that is shown', () => {
    const both = { content: 'difference', original: at(-30), processed: at(-24) } as const;
    expect(sidesOf(both).map(({ side, at }) => [side, at.db])).toEqual([['original', -30], ['processed', -24]]);
    expect(changeOf(both)).toBe(6);
    expect(peakOf(both)).toBeNull();
    expect(changeOf({ ...both, original: at(null) })).toBeNull();
  });

  it('tells one side alone otherwise', () => {
    const one = { content: 'processed', original: null, processed: at(-24) } as const;
    expect(sidesOf(one).map(({ side }) => side)).toEqual(['processed']);
    expect(changeOf(one)).toBeNull();
    expect(peakOf(one)?.phase_rad).toBe(1);
  });

  it('asks for what is shown and nothing else', async () => {
    const asked: Side[] = [];
    const state = new SpectrogramState(() => Promise.reject(new Error('no tiles')), () => undefined, async (question) => (asked.push(question.side), at(question.side === 'original' ? -30 : -20)), 1000, 48_000);
    const place = { analysis: { method: 'fourier', bins_per_octave: 36, window: 'hann', window_frames: 2048, padding: 1, scale: 'mel' }, channels: 'each', lane: 0, frame: 0, hz: 440 } as const;
    const settle = () => new Promise((done) => setTimeout(done, 0));
    state.look({ ...place, content: 'processed' });
    await settle();
    expect(asked.splice(0)).toEqual(['processed']);
    expect(state.reading).toMatchObject({ content: 'processed', original: null, processed: { db: -20 } });
    state.look({ ...place, content: 'difference' });
    await settle();
    expect(asked.splice(0)).toEqual(['original', 'processed']);
    expect(state.reading).toMatchObject({ content: 'difference', original: { db: -30 }, processed: { db: -20 } });
  });
});
