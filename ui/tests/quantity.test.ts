import { describe, expect, it } from 'vitest';
import { compact, formatChange, formatDegrees, formatInteger, formatLevel, formatQuantity, formatRate, formatSpeed, parseQuantity } from '../src/lib/quantity';

describe('what a person types', () => {
  it.each([
    ['1k', 'hz', 1000],
    ['1.2 kHz', 'hz', 1200],
    ['1,2khz', 'hz', 1200],
    ['80', 'hz', 80],
    ['80 Hz', 'hz', 80],
    ['2e3', 'hz', 2000],
    ['-3', 'dB', -3],
    ['−3.5 dB', 'dB', -3.5],
    ['+6dB', 'dB', 6],
    ['40', 'percent', 0.4],
    ['40 %', 'percent', 0.4],
    ['1.5', 'kbps', 1.5],
    ['6 kbit/s', 'kbps', 6],
    ['6 kbps', 'kbps', 6],
    ['20 ms', 'seconds', 0.02],
    ['1.5 s', 'seconds', 1.5],
    ['.7071', 'none', 0.7071],
    ['80', 'dB apart', 80],
    ['80 dB', 'dB apart', 80],
    ['−23 LUFS', 'LUFS', -23],
    ['-23', 'LUFS', -23],
  ] as const)('%s as %s is %d', (typed, unit, value) => {
    expect(parseQuantity(typed, unit)).toBeCloseTo(value, 12);
  });

  it('takes a bare time in the unit that is shown', () => {
    expect(parseQuantity('150', 'seconds', 'ms')).toBeCloseTo(0.15, 12);
  });

  it.each([
    ['', 'hz'],
    ['abc', 'hz'],
    ['1 dB', 'hz'],
    ['3 kHz', 'dB'],
    ['1 2', 'hz'],
    ['--3', 'dB'],
    ['1.2.3', 'none'],
    ['1e999', 'none'],
  ] as const)('refuses %j as %s', (typed, unit) => {
    expect(parseQuantity(typed, unit)).toBeNull();
  });

  it('reads back what it writes', () => {
    for (const unit of ['hz', 'dB', 'seconds', 'percent', 'kbps', 'none'] as const) {
      for (const value of [0.001, 0.05, 0.4, 1, 3, 12, 440, 999.5, 1000, 1234, 19_500]) {
        const read = parseQuantity(formatQuantity(value, unit), unit);
        // Four digits, or a hundredth of a decibel, are shown.
        expect(Math.abs((read ?? NaN) - value)).toBeLessThanOrEqual(Math.max(value * 6e-4, unit === 'dB' ? 0.006 : 0.00051));
      }
    }
  });
});

describe('what is shown', () => {
  it('chooses the unit by magnitude and signs gains', () => {
    expect(formatQuantity(999, 'hz')).toBe('999 Hz');
    expect(formatQuantity(1200, 'hz')).toBe('1.2 kHz');
    expect(formatQuantity(3, 'dB')).toBe('+3 dB');
    expect(formatQuantity(-3.5, 'dB')).toBe('−3.5 dB');
    expect(formatQuantity(80, 'dB')).toBe('+80 dB');
    expect(formatQuantity(80, 'dB apart')).toBe('80 dB');
    expect(formatQuantity(0.001, 'dB apart')).toBe('0.001 dB');
    expect(formatQuantity(0.001, 'dB')).toBe('+0.001 dB');
    expect(formatQuantity(0.0001, 'dB')).toBe('0 dB');
    expect(formatQuantity(-23, 'LUFS')).toBe('−23 LUFS');
    expect(formatQuantity(0, 'dB')).toBe('0 dB');
    expect(formatQuantity(0.02, 'seconds')).toBe('20 ms');
    expect(formatQuantity(0.4, 'percent')).toBe('40 %');
    expect(formatQuantity(1.1, 'kbps')).toBe('1.1 kbit/s');
    expect(formatQuantity(0.7071, 'none')).toBe('0.7071');
  });

  it('keeps digits that matter and no more', () => {
    expect(compact(1234.5678)).toBe('1235');
    expect(compact(0.00012346)).toBe('0.0001235');
    expect(compact(100)).toBe('100');
    expect(compact(1e6)).toBe('1000000');
    expect(compact(Infinity)).toBe('∞');
  });

  it.each([
    [0, '0.0°'],
    [-1e-9, '0.0°'],
    [Math.PI, '180.0°'],
    [-Math.PI, '180.0°'],
    [-Math.PI * 0.99999, '180.0°'],
    [-Math.PI / 2, '−90.0°'],
    [2.3562, '135.0°'],
    [3 * Math.PI + 0.1, '−174.3°'],
    [null, '—'],
  ])('writes the angle %d as %s', (rad, shown) => expect(formatDegrees(rad)).toBe(shown));

  it.each([
    [6.06, '+6.1 dB'],
    [-3, '−3.0 dB'],
    [-0.04, '0.0 dB'],
    [null, '—'],
  ])('writes the change %d as %s', (db, shown) => expect(formatChange(db)).toBe(shown));

  it('writes silence as minus infinity', () => {
    expect(formatLevel(null)).toBe('−∞ dBFS');
    expect(formatLevel(-6.02)).toBe('−6.0 dBFS');
    expect(formatLevel(0.4)).toBe('+0.4 dBFS');
  });

  it('shows nothing for what was not measured', () => {
    expect(formatRate(null, 'B/s')).toBeNull();
    expect(formatRate(1.21e10, 'B/s')).toBe('12.1 GB/s');
    expect(formatRate(2.4e9, 'S/s')).toBe('2.4 GS/s');
    expect(formatRate(12, 'B/s')).toBe('12 B/s');
  });

  it('groups digits and gives speeds', () => {
    expect(formatInteger(1234567)).toBe('1\u202f234\u202f567');
    expect(formatSpeed(848.3)).toBe('848×');
    expect(formatSpeed(5.46)).toBe('5.5×');
  });
});
