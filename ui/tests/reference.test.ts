import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FrequencyScale } from '../src/bindings';
import { hzFromPosition, positionFromHz } from '../src/lib/frequency-scale';
import { periodsOf } from '../src/pages/editor/lib/resolution';

interface Reference {
  positions: { scale: FrequencyScale; rate: number; hz: number; position: number }[];
  periods: { bins_per_octave: number; periods: number }[];
}

/** The values of the core; `npm run bindings` writes them. */
const { positions, periods } = JSON.parse(readFileSync(join(import.meta.dirname, 'reference.json'), 'utf8')) as Reference;

describe('formulas of the core', () => {
  it('stand frequencies on their scales where the core does', () => {
    expect(new Set(positions.map(({ scale }) => scale)).size).toBe(5);
    for (const { scale, rate, hz, position } of positions) {
      expect(positionFromHz(hz, scale, rate), `${hz} Hz on ${scale} at ${rate} Hz`).toBeCloseTo(position, 9);
      expect(hzFromPosition(position, scale, rate) / hz, `${hz} Hz on ${scale} at ${rate} Hz`).toBeCloseTo(1, 6);
    }
  });

  it('give windows of the constant-Q transform as many periods', () => {
    expect(periods.length).toBeGreaterThan(4);
    for (const each of periods) expect(periodsOf(each.bins_per_octave)).toBeCloseTo(each.periods, 8);
  });
});
