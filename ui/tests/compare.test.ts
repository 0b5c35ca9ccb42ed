// The table of a comparison and its curves: values, bars, the best, the order, the scale.

import { describe, expect, it } from 'vitest';
import type { CompareReading, CompareVersion, Measure } from '../src/bindings';
import { curveValueAt, scaleOfCurves } from '../src/pages/compare/curves';
import { barOf, bestOf, nextSorting, sameSound, scaleOf, shownValue, sortedVersions, tableText } from '../src/pages/compare/measures';
import { fixed, setDecimalMark } from '../src/lib/decimal';

const measure = (name: string, direction: Measure['direction'], unit = 'dB', decimals = 1): Measure => ({ name, title: name, unit, direction, range: '', definition: '', source: '', decimals });
const value = (number: number): CompareReading => ({ whole: { value: number, infinite: null, missing: null }, channels: [], curve: true });
const missing = (why: string): CompareReading => ({ whole: { value: null, infinite: null, missing: why }, channels: [], curve: false });
const INFINITE: CompareReading = { whole: { value: null, infinite: 1, missing: 'infinite' }, channels: [], curve: false };

const version = (id: number, readings: CompareReading[], name = `v${id}`): CompareVersion => ({ id, name, folder: '', kind: 'WAV', rate: 48_000, channels: 2, duration_s: 1, state: 'compared', failure: null, warnings: [], alignment: null, gain_db: null, notes: [], parts: [], readings });

const snr = measure('snr', 'higher');
const l1 = measure('l1', 'lower', '', 4);
const loudness = measure('loudness_difference', 'near_zero', 'LU');
const measures = [snr, l1, loudness];
const a = version(1, [value(12), value(0.02), value(-6)]);
const b = version(2, [value(40), value(0.001), value(0.2)]);
const c = version(3, [INFINITE, value(0), missing('silence')]);
const d = version(4, []);

describe('values', () => {
  it('have their digits, a real minus, and no minus on zero', () => {
    expect(fixed(-1.26, 1)).toBe('−1.3');
    expect(fixed(-0.001, 1)).toBe('0.0');
    expect(shownValue(value(0.02).whole, l1)).toBe('0.0200');
    expect(shownValue(INFINITE.whole, snr)).toBe('∞');
    expect(shownValue({ ...INFINITE.whole, infinite: -1 }, snr)).toBe('−∞');
    expect(shownValue(missing('why').whole, snr)).toBeNull();
    expect(shownValue(undefined, snr)).toBeNull();
  });

  it("have the language's decimal mark, and a point for other programs", () => {
    setDecimalMark(',');
    try {
      expect(shownValue(value(0.02).whole, l1)).toBe('0,0200');
      expect(tableText([a], [snr, l1], { measure: 'Measure', missing: '' })).toMatch(/\t12\.\d+\n.*\t0\.0200$/);
    } finally {
      setDecimalMark('.');
    }
  });
});

describe('the best', () => {
  it('is the highest, the lowest, or the nearest to zero', () => {
    expect([...bestOf([a, b], 0, snr)]).toEqual([2]);
    expect([...bestOf([a, b], 1, l1)]).toEqual([2]);
    expect([...bestOf([a, b], 2, loudness)]).toEqual([2]);
    expect([...bestOf([a, b, c, d], 0, snr)], 'infinite beats any number').toEqual([3]);
  });
  it('is none of one, nor of values that look alike', () => {
    expect(bestOf([a], 0, snr).size).toBe(0);
    expect(bestOf([a, d], 0, snr).size).toBe(0);
    expect(bestOf([version(1, [value(1.01)]), version(2, [value(1.02)])], 0, snr).size).toBe(0);
    expect([...bestOf([version(1, [value(1.01)]), version(2, [value(1.02)]), version(3, [value(0)])], 0, snr)], 'those that share it').toEqual([1, 2]);
  });
});

describe('bars', () => {
  it('lie on one scale with zero on it', () => {
    expect(scaleOf([a, b, c, d], 0, snr)).toEqual([0, 40]);
    expect(barOf(value(12).whole, [0, 40])).toEqual({ from: 0, to: 0.3 });
    expect(barOf(INFINITE.whole, [0, 40])).toEqual({ from: 0, to: 1 });
    expect(scaleOf([a, b], 2, loudness)).toEqual([-6, 6]);
    expect(barOf(value(-6).whole, [-6, 6])).toEqual({ from: 0, to: 0.5 });
    expect(barOf(value(3).whole, [-6, 6])).toEqual({ from: 0.5, to: 0.75 });
    expect(scaleOf([version(1, [value(-5)]), version(2, [value(15)])], 0, snr)).toEqual([-5, 15]);
    expect(barOf(value(-5).whole, [-5, 15])).toEqual({ from: 0, to: 0.25 });
  });
  it('are none where there is no value, and empty where all are zero', () => {
    expect(barOf(missing('why').whole, [0, 1])).toBeNull();
    expect(barOf(undefined, [0, 1])).toBeNull();
    expect(barOf(value(0).whole, scaleOf([version(1, [value(0)])], 0, snr))).toEqual({ from: 0, to: 0 });
    expect(barOf(INFINITE.whole, [0, 0])).toEqual({ from: 0, to: 1 });
  });
});

describe('the order of versions', () => {
  const ids = (versions: CompareVersion[]): number[] => versions.map(({ id }) => id);
  it('is by the measure, those without a value last either way', () => {
    const all = [d, a, b, c];
    expect(ids(sortedVersions(all, measures, { measure: 'snr', worstFirst: false }))).toEqual([3, 2, 1, 4]);
    expect(ids(sortedVersions(all, measures, { measure: 'snr', worstFirst: true }))).toEqual([1, 2, 3, 4]);
    expect(ids(sortedVersions(all, measures, { measure: 'loudness_difference', worstFirst: false }))).toEqual([2, 1, 4, 3]);
    expect(ids(sortedVersions(all, measures, null))).toEqual([4, 1, 2, 3]);
    expect(ids(sortedVersions(all, measures, { measure: 'gone', worstFirst: false }))).toEqual([4, 1, 2, 3]);
  });
  it('goes from best first to worst first to the list', () => {
    const first = nextSorting(null, 'snr');
    const second = nextSorting(first, 'snr');
    expect([first, second, nextSorting(second, 'snr')]).toEqual([{ measure: 'snr', worstFirst: false }, { measure: 'snr', worstFirst: true }, null]);
    expect(nextSorting(second, 'l1')).toEqual({ measure: 'l1', worstFirst: false });
  });
});

it('the table as text has plain minus signs and nothing that breaks a row', () => {
  const text = tableText([version(1, [value(-3.04), missing('x'), value(0)], 'a\tb\nc')], measures, { measure: 'Measure', missing: 'none' });
  expect(text.split('\n')).toEqual(['Measure\ta b c', 'snr (dB)\t-3.0', 'l1\tnone', 'loudness_difference (LU)\t0.0']);
});

it('sounds are the same by kind and version', () => {
  expect(sameSound({ kind: 'version', version: 1 }, { kind: 'version', version: 1 })).toBe(true);
  expect(sameSound({ kind: 'version', version: 1 }, { kind: 'difference', version: 1 })).toBe(false);
  expect(sameSound(null, { kind: 'version', version: 1 })).toBe(false);
});

describe('curves', () => {
  const curve = (values: (number | null)[], start_s = 0) => ({ version: 1, start_s, step_s: 0.1, values });
  it('share a scale of round marks that holds all values', () => {
    expect(scaleOfCurves([curve([1, null, 9]), curve([-3])])).toEqual({ low: -5, high: 10, marks: [-5, 0, 5, 10] });
    const flat = scaleOfCurves([curve([0.5, 0.5])]);
    expect(flat && flat.low < flat.high && flat.low <= 0.5 && flat.high >= 0.5).toBe(true);
    expect(scaleOfCurves([curve([null]), curve([])])).toBeNull();
    for (const [low, high] of [[0, 1e-9], [-1e9, 1e9], [99.999, 100], [-40.2, -39.9]] as const) {
      const scale = scaleOfCurves([curve([low, high])]);
      expect(scale && scale.low <= low && scale.high >= high && scale.marks.length >= 2 && scale.marks.length <= 8, `${low}..${high} ${JSON.stringify(scale)}`).toBe(true);
    }
  });
  it('have a value at a moment within them', () => {
    const late = curve([5, null, 7], 2);
    expect([1.9, 2, 2.1, 2.2, 2.3].map((at) => curveValueAt(late, at))).toEqual([null, 5, null, 7, null]);
  });
});
