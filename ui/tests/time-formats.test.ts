// Times at the read-outs: written, typed again, and chosen by their menus.

import { describe, expect, it } from 'vitest';
import type { TimeFormat } from '../src/bindings';
import { contextMenuFor } from '../src/commands/context/menus';
import { filmCode, filmFrame, firstSample, readFilmCode, type FilmFormat } from '../src/lib/film';
import { clockText, lengthText, placeText, readLength, readPlace, type Clock } from '../src/lib/time-input';
import { TIME_FORMATS } from '../src/state/time-formats';
import { openDemo, settle } from './demo-window';

const clock = (format: TimeFormat, rate = 48_000): Clock => ({ rate, frames: rate * 9000, display: { time_ruler: 'time', bpm: 120, beats_per_bar: 4 }, format });
const value = (read: ReturnType<typeof readPlace>): number => ('value' in read ? read.value : NaN);
const FILM: FilmFormat[] = ['film_24', 'film_25', 'film_29_97', 'film_29_97_drop', 'film_30'];

describe('film frames', () => {
  // Values of SMPTE ST 12-1's rule, counted out by hand.
  it.each([
    [0, '00:00:00;00'],
    [1799, '00:00:59;29'],
    [1800, '00:01:00;02'],
    [3597, '00:01:59;29'],
    [3598, '00:02:00;02'],
    [17_981, '00:09:59;29'],
    [17_982, '00:10:00;00'],
    [17_982 + 1800, '00:11:00;02'],
    [107_892, '01:00:00;00'],
  ])('number %d of drop-frame code is %s', (film, code) => {
    expect(filmCode(film, 'film_29_97_drop')).toBe(code);
    expect(readFilmCode(code, 'film_29_97_drop')).toBe(film);
  });

  it('drops the numbers that drop-frame code has not, and no others', () => {
    for (const none of ['00:01:00;00', '00:01:00;01', '1:59:00;00', '00:00:00;30']) expect(readFilmCode(none, 'film_29_97_drop'), none).toBeNull();
    for (const some of ['00:10:00;00', '00:01:00;02', '00:20:00;01', '0:30:00;00']) expect(readFilmCode(some, 'film_29_97_drop'), some).not.toBeNull();
    expect(readFilmCode('00:01:00:00', 'film_29_97')).toBe(1800);
  });

  it.each(FILM)('every frame of %s is read as it was written, and begins at the sample that shows it', (format) => {
    for (let film = 0; film < 220_000; film += 97) {
      const code = filmCode(film, format);
      expect(readFilmCode(code, format)).toBe(film);
      for (const rate of [44_100, 48_000, 96_000]) {
        const first = firstSample(film, rate, format);
        expect(filmFrame(first, rate, format)).toBe(film);
        if (first > 0) expect(filmFrame(first - 1, rate, format)).toBe(film - 1);
      }
    }
  });

  it('an hour of 29.97 is 3.6 s longer than its code says, and drop-frame is not', () => {
    // 108000 frames at 30000/1001.
    expect(value(readPlace('01:00:00:00', clock('film_29_97')))).toBe(48_000 * 3603.6);
    expect(Math.abs(value(readPlace('01:00:00;00', clock('film_29_97_drop'))) / 48_000 - 3600)).toBeLessThan(0.004);
  });
});

describe('a time at a read-out', () => {
  it.each(TIME_FORMATS)('is read as it was written in %s', (format) => {
    for (const frame of [0, 24_000, 96_000, 5_299_200, 48_000 * 3600]) {
      const at = clock(format);
      const shown = placeText(frame, at);
      expect(placeText(value(readPlace(shown, at)), at)).toBe(shown);
      expect(clockText(frame, at)).not.toContain('NaN');
      if (frame === 0) continue;
      const length = lengthText(frame, at);
      expect(lengthText(value(readLength(length, at)), at)).toBe(length);
    }
  });

  it.each([
    ['clock', '1:02.500', '00:01:02.500'],
    ['seconds', '62.500 s', '62.500 s'],
    ['samples', '3 000 000', '3 000 000'],
    ['beats', '32:2', '32:2.00'],
    ['film_25', '00:01:02:12', '00:01:02:12'],
  ] as const)('62.5 s in %s is %s, and %s on the clock', (format, shown, running) => {
    const plain = (words: string): string => words.replace(/\s/g, ' ');
    expect(plain(placeText(3_000_000, clock(format)))).toBe(shown);
    expect(plain(clockText(3_000_000, clock(format)))).toBe(running);
  });

  it('understands what is typed as it is shown, and units always', () => {
    expect(value(readPlace('1:02:10', clock('film_25')))).toBe(48_000 * 62.4);
    expect(value(readPlace('1:02:10', clock('clock')))).toBe(48_000 * 3730);
    expect(value(readPlace('250', clock('film_25')))).toBe(480_000);
    expect(value(readPlace('250', clock('samples')))).toBe(250);
    expect(value(readPlace('1:02.5', clock('film_25')))).toBe(3_000_000);
    for (const format of TIME_FORMATS) expect(value(readPlace('2.5 s', clock(format))), format).toBe(120_000);
    expect(readPlace('0:00:00:25', clock('film_25'))).toEqual({ problem: expect.stringContaining('frames 0 to 24') });
    expect(readPlace('0:01:00;01', clock('film_29_97_drop'))).toEqual({ problem: expect.stringContaining('begins with 2') });
  });

  it('is chosen by the menu of each read-out, and stays', async () => {
    const app = await openDemo('gain(-1 dB)');
    const at = (id: string): Element => document.querySelector(`[data-testid="${id}"]`)!;
    const choose = async (id: string, format: TimeFormat): Promise<void> => {
      const entry = contextMenuFor(app, at(id)).flat().find((each) => each.id === 'time-format')?.groups?.flat().find((each) => each.id === `time-format-${format}`);
      await entry?.run?.();
      await settle();
    };
    await choose('time-code', 'film_25');
    expect(at('time-code').textContent).toBe('00:00:00:00');
    await choose('status-cursor', 'seconds');
    app.documents.active?.setCursor(72_000);
    await settle();
    expect(at('status-time').textContent).toBe('1.500 s');
    expect(at('time-code').textContent).toBe('00:00:01:12');
    app.documents.active?.commitSelection({ start: 24_000, end: 48_000 });
    await settle();
    // The fields of the selection have the menu, too.
    await choose('selection-start', 'samples');
    expect((at('selection-start') as HTMLInputElement).value.replace(/\s/g, ' ')).toBe('24 000');
    expect(app.settings.now.time_formats).toEqual({ clock: 'film_25', selection: 'samples', cursor: 'seconds' });
  });
});
