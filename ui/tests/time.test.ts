import { describe, expect, it } from 'vitest';
import { remaining, shortTime, ticks, timeCode } from '../src/lib/time';

describe('time code', () => {
  it('never shows what has not come yet', () => {
    expect(timeCode(0, 48_000)).toBe('00:00:00.000');
    expect(timeCode(47_999, 48_000)).toBe('00:00:00.999');
    expect(timeCode(48_000, 48_000)).toBe('00:00:01.000');
    expect(timeCode(44_100 * 3723.456, 44_100)).toBe('01:02:03.456');
    expect(timeCode(-5, 48_000)).toBe('00:00:00.000');
  });
});

describe('short times', () => {
  it('carry over into the next unit when rounded', () => {
    expect(shortTime(59.9996)).toBe('1:00.000');
    expect(shortTime(3599.9999, 2)).toBe('1:00:00.00');
    expect(shortTime(5, 0)).toBe('0:05');
    expect(shortTime(3605, 0)).toBe('1:00:05');
  });

  it('tell the time that is left', () => {
    expect(remaining(0.2)).toBe('1 s');
    expect(remaining(200)).toBe('3 min 20 s');
    expect(remaining(7300)).toBe('2 h 1 min');
  });
});

describe('the time ruler', () => {
  const widths = [400, 900, 3800];
  // From twelve frames at 768 kHz to a day.
  const spans = Array.from({ length: 60 }, (_, i) => 1.6e-5 * (86_400 / 1.6e-5) ** (i / 59));

  it.each(widths)('is dense and readable at every zoom, %d px wide', (width) => {
    for (const seconds of spans) {
      for (const from of [0, 7.3, 3599.7]) {
        const found = ticks(from, from + seconds, width);
        const labelled = found.filter((tick) => tick.label !== null);
        const pxPerSecond = width / seconds;
        const gaps = labelled.slice(1).map((tick, i) => (tick.seconds - (labelled[i]?.seconds ?? 0)) * pxPerSecond);
        for (const gap of gaps) {
          expect(gap).toBeGreaterThanOrEqual(79.9);
          expect(gap).toBeLessThan(80 * 3.01);
        }
        expect(found.length).toBeGreaterThan(width / 80 - 2);
        expect(found.length).toBeLessThan(width / 4);
      }
    }
  });

  it('gives no two labels the same words', () => {
    for (const seconds of spans.filter((each) => each > 1e-4)) {
      const labels = ticks(12.5, 12.5 + seconds, 900).flatMap((tick) => (tick.label === null ? [] : [tick.label]));
      expect(new Set(labels).size).toBe(labels.length);
    }
  });

  it('draws nothing for an empty range', () => {
    expect(ticks(1, 1, 900)).toEqual([]);
    expect(ticks(0, 1, 0)).toEqual([]);
  });
});
