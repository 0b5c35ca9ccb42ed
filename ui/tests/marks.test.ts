import { describe, expect, it } from 'vitest';
import { lanesOf } from '../src/draw/waveform';
import { bandBoxes, frequencyLines, type FrequencyPlaces } from '../src/pages/editor/lib/frequency-marks';
import { WHOLE_AXIS } from '../src/lib/frequency-scale';

/** Two lanes of 240 px, the upper at 0 and the lower at 241, 100 Hz a pixel. */
const places = (view = WHOLE_AXIS): FrequencyPlaces => ({ axis: { view, scale: 'linear', rate: 48_000 }, lanes: lanesOf(2, 481, 1) });

describe('the marks of frequencies', () => {
  it('put a band into every lane, as far as it is in sight', () => {
    expect(bandBoxes(places(), { low_hz: 6000, high_hz: 18_000 })).toEqual([
      { top: 60, height: 120 },
      { top: 301, height: 120 },
    ]);
    // The upper half of the axis: the band's lower half lies below it.
    expect(bandBoxes(places({ bottom: 0.5, top: 1 }), { low_hz: 6000, high_hz: 18_000 })[0]).toEqual({ top: 120, height: 120 });
    expect(bandBoxes(places({ bottom: 0.5, top: 1 }), { low_hz: 100, high_hz: 6000 })).toEqual([]);
  });

  it('put one frequency into its own lane', () => {
    expect(frequencyLines(places(), { hz: 12_000, lane: 1 }, false)).toEqual([{ y: 361, opacity: 0.35, label: null }]);
    expect(frequencyLines(places({ bottom: 0.5, top: 1 }), { hz: 1000, lane: 0 }, false)).toEqual([]);
    expect(frequencyLines(places(), { hz: 0, lane: 0 }, true)).toEqual([]);
  });

  it('put harmonics into every lane, the first the strongest, numbered where the pointer is', () => {
    const lines = frequencyLines(places(), { hz: 5000, lane: 0 }, true);
    expect(lines.map(({ label }) => label)).toEqual(['1', '2', '3', '4', null, null, null, null]);
    expect(lines.map(({ y }) => Math.round(y))).toEqual([190, 140, 90, 40, 431, 381, 331, 281]);
    expect(lines.map(({ opacity }) => opacity)).toEqual([0.85, 0.45, 0.45, 0.45, 0.85, 0.45, 0.45, 0.45]);
  });

  it('leave out harmonics and numbers that stand too close', () => {
    // 5 px apart: every second line, and every second of these numbered.
    const lines = frequencyLines(places(), { hz: 500, lane: 0 }, true).filter(({ y }) => y <= 240);
    for (let i = 1; i < lines.length; i++) expect((lines[i - 1]?.y ?? 0) - (lines[i]?.y ?? 0)).toBeGreaterThanOrEqual(9);
    expect(lines.slice(0, 4).map(({ label }) => label)).toEqual(['1', null, '5', null]);
  });
});
