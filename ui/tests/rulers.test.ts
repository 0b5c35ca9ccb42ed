import { describe, expect, it } from 'vitest';
import type { FrequencyScale } from '../src/bindings';
import { levelLabel, levels } from '../src/draw/rulers';
import { positionFromHz, WHOLE_AXIS } from '../src/lib/frequency-scale';
import { frequencyTicks } from '../src/lib/frequency-ticks';
import { laneSet, spectrogramOpacity, waveformOpacity } from '../src/lib/lanes';
import { formatPlace, rulerTicks } from '../src/lib/time-ruler';

const SCALES: FrequencyScale[] = ['linear', 'log', 'mel', 'bark', 'erb'];

describe('the level ruler', () => {
  it('marks full scale where a lane shows more, and whole decibels below its edge at every height', () => {
    for (const zoom of [0.25, 0.7, 1, 2, 31.6, 1000, 65_536]) {
      for (const height of [60, 180, 700]) {
        const found = levels(height, zoom);
        const places = found.map(({ share }) => share * (height / 2)).sort((a, b) => a - b);
        for (let i = 1; i < places.length; i++) expect((places[i] ?? 0) - (places[i - 1] ?? 0), `${zoom} ${height}`).toBeGreaterThanOrEqual(18);
        for (const { db, share } of found) {
          expect(Number.isInteger(db)).toBe(true);
          expect(share * 10 ** (-db / 20)).toBeCloseTo(zoom, 6 - Math.log10(zoom));
        }
      }
    }
    expect(levels(700, 0.25).some(({ db }) => db === 0)).toBe(true);
    expect(levels(400, 1).map(({ db }) => db)).toEqual([-1, -3, -6, -9, -12, -18]);
    expect([0, -0.04, -6, 12.04, -30.46].map(levelLabel)).toEqual(['0', '0', '−6', '+12', '−30.5']);
  });
});

describe('the frequency ruler', () => {
  const labels = (scale: FrequencyScale, low: number, high: number, px: number, ruler: 'hz' | 'notes' = 'hz') => {
    const view = { bottom: positionFromHz(low, scale, 48_000), top: positionFromHz(high, scale, 48_000) };
    return frequencyTicks({ view, scale, rate: 48_000 }, px, ruler).filter((tick) => tick.label !== null);
  };

  it.each(SCALES)('on the %s scale is dense at every zoom and never crowded', (scale) => {
    for (const ruler of ['hz', 'notes'] as const) {
      for (const [low, high] of [[20, 24_000], [20, 2000], [1000, 1400], [430, 452], [15_000, 15_400]] as const) {
        const found = labels(scale, low, high, 400, ruler);
        expect(found.length, `${ruler} ${low} to ${high}`).toBeGreaterThanOrEqual(ruler === 'notes' && high - low < 500 && low > 10_000 ? 0 : 2);
        for (let i = 1; i < found.length; i++) expect(((found[i - 1]?.height ?? 0) - (found[i]?.height ?? 0)) * 400, `${ruler} ${found[i - 1]?.label} ${found[i]?.label}`).toBeGreaterThan(11);
      }
    }
  });

  it('says round numbers', () => {
    expect(labels('linear', 0, 24_000, 300).map((tick) => tick.label)).toEqual(expect.arrayContaining(['2k', '10k', '20k']));
    expect(labels('log', 20, 24_000, 500).map((tick) => tick.label)).toEqual(expect.arrayContaining(['50', '100', '500', '1k', '5k', '10k']));
    expect(labels('linear', 439, 441, 300).map((tick) => tick.label)).toEqual(expect.arrayContaining(['439.4', '440', '440.2']));
    expect(labels('log', 200, 1000, 500, 'notes').map((tick) => tick.label)).toEqual(expect.arrayContaining(['A3', 'C4', 'A4']));
  });

  it('keeps to the lane', () => {
    for (const tick of frequencyTicks({ view: WHOLE_AXIS, scale: 'mel', rate: 44_100 }, 300, 'hz')) {
      expect(tick.height).toBeGreaterThanOrEqual(0);
      expect(tick.height).toBeLessThanOrEqual(1);
    }
  });
});

describe('the time ruler', () => {
  const beats = { time_ruler: 'beats', bpm: 120, beats_per_bar: 4 } as const;
  const labelled = (start: number, end: number, display: Parameters<typeof rulerTicks>[3]) => rulerTicks({ start, end }, 48_000, 1000, display).filter((tick) => tick.label !== null);

  it.each(['time', 'samples', 'beats'] as const)('in %s is dense at every zoom', (time_ruler) => {
    for (const [start, end] of [[0, 518_400_000], [0, 960_000], [48_000, 52_000], [1000, 1012]] as const) {
      const found = labelled(start, end, { ...beats, time_ruler });
      expect(found.length, `${start} to ${end}`).toBeGreaterThanOrEqual(3);
      expect(found.length).toBeLessThanOrEqual(20);
    }
  });

  it('counts samples and beats', () => {
    expect(labelled(0, 1000, { ...beats, time_ruler: 'samples' }).map((tick) => tick.label)).toEqual(expect.arrayContaining(['0', '200', '1\u202f000']));
    expect(labelled(0, 960_000, beats).map((tick) => tick.label).slice(0, 3)).toEqual(['1:1', '2:1', '3:1']);
    expect(labelled(0, 90_000, beats).map((tick) => tick.label).slice(0, 3)).toEqual(['1:1', '1:1.25', '1:1.5']);
  });

  it('says a place as it counts', () => {
    expect(formatPlace(72_000, 48_000, { ...beats, time_ruler: 'time' }, 3)).toBe('0:01.500');
    expect(formatPlace(72_000, 48_000, { ...beats, time_ruler: 'samples' }, 3)).toBe('72\u202f000');
    expect(formatPlace(72_000, 48_000, beats, 3)).toBe('1:4');
    expect(formatPlace(108_000, 48_000, beats, 3)).toBe('2:1.5');
  });
});

describe('lanes', () => {
  it('are what the recording has', () => {
    expect(laneSet({ blend: 1, channels: 'each' }, 6)).toEqual({ channels: 'each', count: 6 });
    expect(laneSet({ blend: 1, channels: 'mix' }, 6)).toEqual({ channels: 'mix', count: 1 });
    expect(laneSet({ blend: 1, channels: 'mid_side' }, 2)).toEqual({ channels: 'mid_side', count: 2 });
    expect(laneSet({ blend: 1, channels: 'mid_side' }, 1)).toEqual({ channels: 'each', count: 1 });
    expect(laneSet({ blend: 0, channels: 'mix' }, 2)).toEqual({ channels: 'each', count: 2 });
  });

  it('show both pictures in full in the middle of the blend', () => {
    expect([waveformOpacity(0.5), spectrogramOpacity(0.5)]).toEqual([1, 1]);
    expect([waveformOpacity(1), spectrogramOpacity(0)]).toEqual([0, 0]);
  });
});
