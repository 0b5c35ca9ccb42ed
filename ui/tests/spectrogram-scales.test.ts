import { describe, expect, it } from 'vitest';
import type { FrequencyScale } from '../src/bindings';
import { COLOUR_MAPS, colourTable } from '../src/draw/colour-maps';
import { axisOnScale, heightFromHz, hzFromHeight, hzFromPosition, positionFromHz, scrolledAxis, WHOLE_AXIS, zoomedAxis } from '../src/lib/frequency-scale';
import { formatNote, hzFromNote, nearestNote } from '../src/lib/note';

const SCALES: FrequencyScale[] = ['linear', 'log', 'mel', 'bark', 'erb'];

describe('frequency scales', () => {
  it.each(SCALES)('%s goes from its foot to half the rate, and back', (scale) => {
    expect(positionFromHz(24_000, scale, 48_000)).toBeCloseTo(1, 12);
    expect(positionFromHz(scale === 'log' ? 20 : 0, scale, 48_000)).toBeCloseTo(0, 12);
    for (const hz of [21, 100, 440, 1000, 8000, 23_999]) expect(hzFromPosition(positionFromHz(hz, scale, 48_000), scale, 48_000)).toBeCloseTo(hz, 6);
  });

  it('follow their formulas', () => {
    // 1 kHz is 1000 mel, 8.53 Bark and 15.6 ERB.
    const share = (value: number, top: number) => value / top;
    expect(positionFromHz(1000, 'mel', 48_000)).toBeCloseTo(share(999.99, 2595 * Math.log10(1 + 24_000 / 700)), 4);
    expect(positionFromHz(1000, 'bark', 48_000)).toBeCloseTo(9.0574 / ((26.81 * 24_000) / 25_960), 4);
    expect(positionFromHz(1000, 'erb', 48_000)).toBeCloseTo(share(15.62, 21.4 * Math.log10(1 + 0.00437 * 24_000)), 3);
    expect(positionFromHz(200, 'log', 48_000)).toBeCloseTo(Math.log(10) / Math.log(1200), 12);
  });

  it('zoom at the pointer and stay on the axis', () => {
    const view = zoomedAxis(WHOLE_AXIS, 0.25, 0.5);
    expect(view.top - view.bottom).toBeCloseTo(0.25, 12);
    expect((view.bottom + view.top) / 2).toBeCloseTo(0.5, 12);
    expect(scrolledAxis(view, 9)).toEqual({ bottom: 0.75, top: 1 });
    expect(zoomedAxis(view, 1000, 0.1)).toEqual(WHOLE_AXIS);
    expect(heightFromHz(hzFromHeight(0.3, view, 'erb', 44_100), view, 'erb', 44_100)).toBeCloseTo(0.3, 9);
  });

  it('show the same frequencies when the scale changes', () => {
    const linear = { bottom: positionFromHz(1000, 'linear', 48_000), top: positionFromHz(4000, 'linear', 48_000) };
    const log = axisOnScale(linear, 'linear', 'log', 48_000);
    expect(hzFromPosition(log.bottom, 'log', 48_000)).toBeCloseTo(1000, 6);
    expect(hzFromPosition(log.top, 'log', 48_000)).toBeCloseTo(4000, 6);
    expect(axisOnScale(WHOLE_AXIS, 'linear', 'log', 48_000)).toEqual(WHOLE_AXIS);
  });
});

describe('notes', () => {
  it.each([
    [440, 'A4', 0],
    [261.6256, 'C4', 0],
    [450, 'A4', 38.9],
    [27.5, 'A0', 0],
    [4434.922, 'C♯8', 0],
    [8.1758, 'C−1', 0],
  ])('%d Hz is %s', (hz, name, cents) => {
    expect(nearestNote(hz)?.name).toBe(name);
    expect(nearestNote(hz)?.cents).toBeCloseTo(cents, 1);
  });

  it('are written with their cents, and are not where there is no frequency', () => {
    expect(formatNote(450)).toBe('A4 +39 ct');
    expect(formatNote(hzFromNote(68.9))).toBe('A4 −10 ct');
    expect(nearestNote(0)).toBeNull();
    expect(formatNote(-1)).toBe('');
  });
});

describe('colour maps', () => {
  const lightness = (table: Uint8ClampedArray, entry: number) => 0.2126 * ((table[entry * 4] ?? 0) / 255) ** 2.2 + 0.7152 * ((table[entry * 4 + 1] ?? 0) / 255) ** 2.2 + 0.0722 * ((table[entry * 4 + 2] ?? 0) / 255) ** 2.2;

  it.each([...COLOUR_MAPS])('%s has 256 opaque entries that never grow darker', (name) => {
    const table = colourTable(name);
    expect(table.length).toBe(1024);
    for (let entry = 0; entry < 256; entry++) {
      expect(table[entry * 4 + 3]).toBe(255);
      if (entry > 0) expect(lightness(table, entry), `${entry}`).toBeGreaterThanOrEqual(lightness(table, entry - 1) - 0.004);
    }
  });

  it('diverge evenly about a dark middle', () => {
    const table = colourTable('difference');
    expect(lightness(table, 127)).toBeLessThan(0.02);
    for (const step of [20, 60, 100, 127]) expect(Math.abs(Math.sqrt(lightness(table, 127 - step)) - Math.sqrt(lightness(table, 128 + step)))).toBeLessThan(0.12);
    // Softer is blue, louder is orange.
    expect(table[60 * 4 + 2] ?? 0).toBeGreaterThan(table[60 * 4] ?? 0);
    expect(table[196 * 4] ?? 0).toBeGreaterThan(table[196 * 4 + 2] ?? 0);
  });
});
