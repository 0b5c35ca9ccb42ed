import { describe, expect, it } from 'vitest';
import { hzFromName, nearestNote } from '../src/lib/note';
import { parseQuantity } from '../src/lib/quantity';
import { lengthText, placeText, readLength, readPlace, type Clock } from '../src/lib/time-input';

const clock = (time_ruler: Clock['display']['time_ruler']): Clock => ({ rate: 48_000, frames: 48_000 * 4000, display: { time_ruler, bpm: 120, beats_per_bar: 4 } });
const value = (read: ReturnType<typeof readPlace>): number => ('value' in read ? read.value : NaN);
const problem = (read: ReturnType<typeof readPlace>): string => ('problem' in read ? read.problem : '');

describe('a place that is typed', () => {
  it.each([
    ['12.5', 12.5],
    ['12,5 s', 12.5],
    ['1:02.5', 62.5],
    ['1:02,5', 62.5],
    ['1:00:01', 3601],
    ['250 ms', 0.25],
    ['2 min', 120],
    ['1 h', 3600],
    ['48000f', 1],
    ['96 000 samples', 2],
    ['96\u202f000 samples', 2],
    ['3 beats', 1.5],
  ] as const)('%s is %d s, whatever the ruler shows time by', (typed, seconds) => {
    expect(value(readPlace(typed, clock('time')))).toBe(seconds * 48_000);
  });

  it.each(['', 'x', '1:60', '1:2:3:4', '1:60:00', 'nan', '1.5f', '5ff', '1e3', ':5'])('%j is none, and says what would be', (typed) => {
    expect(problem(readPlace(typed, clock('time')))).toContain('Type 12.5, 1:02.5');
  });

  it('says where the recording begins and ends', () => {
    expect(problem(readPlace('-1', clock('time')))).toBe('The recording begins at 0.');
    expect(problem(readPlace('2 h', clock('time')))).toBe('The recording ends at 1:06:40.000.');
  });

  it('is counted as the ruler counts', () => {
    expect(value(readPlace('96 000', clock('samples')))).toBe(96_000);
    expect(value(readPlace('1:02.5', clock('samples')))).toBe(62.5 * 48_000);
    expect(problem(readPlace('12.5', clock('samples')))).toContain('Type a sample');
    // 120 beats a minute: half a second each, two seconds a bar.
    expect(value(readPlace('3', clock('beats')))).toBe(4 * 48_000);
    expect(value(readPlace('3:2.5', clock('beats')))).toBe(4.75 * 48_000);
    expect(value(readPlace('12.5 s', clock('beats')))).toBe(12.5 * 48_000);
    for (const outside of ['0', '0:1', '2:0', '2:5']) expect(problem(readPlace(outside, clock('beats')))).toContain('count from 1');
  });

  it.each(['time', 'samples', 'beats'] as const)('is read as it was written in %s', (ruler) => {
    for (const frame of [0, 24_000, 96_000, 5_299_200]) {
      expect(value(readPlace(placeText(frame, clock(ruler)), clock(ruler)))).toBe(frame);
      if (frame > 0) expect(value(readLength(lengthText(frame, clock(ruler)), clock(ruler)))).toBe(frame);
    }
  });

  it('has a length of a sample at least', () => {
    expect(problem(readLength('0', clock('time')))).toContain('one sample');
    expect(value(readLength('2', clock('beats')))).toBe(48_000);
  });
});

describe('a frequency that is typed as a note', () => {
  it.each([
    ['A4', 440],
    ['a5', 880],
    ['C#3', 138.591],
    ['D♭3', 138.591],
    ['C4', 261.626],
    ['A0', 27.5],
    ['C-1', 8.1758],
    ['A4 +50 ct', 452.893],
  ] as const)('%s is %d Hz', (typed, hz) => {
    expect(hzFromName(typed)).toBeCloseTo(hz, 2);
    expect(parseQuantity(typed, 'hz')).toBeCloseTo(hz, 2);
  });

  it('is the note that is shown for it, and nothing else is a note', () => {
    for (const hz of [55, 440, 1234]) expect(hzFromName(nearestNote(hz)?.name ?? '')).toBeCloseTo(hz, hz === 1234 ? -2 : 6);
    for (const typed of ['H4', 'A', '4A', 'A44444', '']) expect(hzFromName(typed)).toBeNull();
    expect(parseQuantity('A4', 'dB')).toBeNull();
  });

  it('and a time as a clock shows it', () => {
    expect(parseQuantity('1:02.5', 'seconds')).toBe(62.5);
    expect(parseQuantity('1:60', 'seconds')).toBeNull();
  });
});
