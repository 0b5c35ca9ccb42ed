import { describe, expect, it } from 'vitest';
import { stepped, tidy, travelFromValue, valueFromTravel, type Range } from '../src/lib/scale';

const ranges: Range[] = [
  { min: 10, max: 24_000, scale: 'log' },
  { min: -36, max: 36, scale: 'linear' },
  { min: 1, max: 24, scale: 'integer' },
  { min: 0, max: 1, scale: 'linear' },
];

describe('travel and value', () => {
  it.each(ranges)('invert each other on $scale from $min to $max', (range) => {
    for (let travel = 0; travel <= 1; travel += 0.05) {
      const value = valueFromTravel(travel, range);
      expect(value).toBeGreaterThanOrEqual(range.min);
      expect(value).toBeLessThanOrEqual(range.max);
      const back = travelFromValue(value, range);
      expect(Math.abs(back - travel)).toBeLessThanOrEqual(range.scale === 'integer' ? 0.5 / 23 + 1e-9 : 1e-9);
    }
  });

  it('puts the geometric mean in the middle of a log scale', () => {
    expect(valueFromTravel(0.5, { min: 10, max: 1000, scale: 'log' })).toBeCloseTo(100, 9);
  });

  it('holds values that lie outside', () => {
    const range = ranges[0] as Range;
    expect(travelFromValue(1, range)).toBe(0);
    expect(travelFromValue(1e6, range)).toBe(1);
    expect(valueFromTravel(2, range)).toBe(24_000);
  });
});

describe('steps of the keyboard', () => {
  it.each(ranges)('move by more when coarse, and never past the ends, on $scale from $min', (range) => {
    const middle = valueFromTravel(0.5, range);
    const fine = stepped(middle, range, 1, true) - middle;
    const coarse = stepped(middle, range, 1, false) - middle;
    expect(fine).toBeGreaterThan(0);
    expect(coarse).toBeGreaterThan(fine);
    expect(stepped(range.max, range, 1, false)).toBe(range.max);
    expect(stepped(range.min, range, -1, false)).toBe(range.min);
  });

  it('always gets somewhere, from one end to the other', () => {
    for (const range of ranges) {
      let value = range.min;
      let steps = 0;
      while (value < range.max && steps < 2000) {
        const next = stepped(value, range, 1, true);
        expect(next).toBeGreaterThan(value);
        value = next;
        steps++;
      }
      expect(value).toBe(range.max);
    }
  });
});

it('rounds to what a person would type', () => {
  expect(tidy(1234.567, { min: 10, max: 20_000, scale: 'log' })).toBe(1230);
  expect(tidy(-3.4567, { min: -36, max: 36, scale: 'linear' })).toBe(-3.46);
  expect(tidy(3.6, { min: 1, max: 24, scale: 'integer' })).toBe(4);
});
