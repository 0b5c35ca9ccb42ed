// Film frames: time codes at 24, 25, 29.97 and 30 frames a second; 29.97 both drop-frame and non-drop.

import type { TimeFormat } from '../bindings';

export type FilmFormat = Extract<TimeFormat, `film_${string}`>;

interface FilmRate {
  /** Film frames per second, as a fraction. */
  rate: readonly [number, number];
  /** The number of frame numbers per second of the code. */
  numbers: number;
  drops: boolean;
}

const RATES: Record<FilmFormat, FilmRate> = {
  film_24: { rate: [24, 1], numbers: 24, drops: false },
  film_25: { rate: [25, 1], numbers: 25, drops: false },
  film_29_97: { rate: [30_000, 1001], numbers: 30, drops: false },
  film_29_97_drop: { rate: [30_000, 1001], numbers: 30, drops: true },
  film_30: { rate: [30, 1], numbers: 30, drops: false },
};

// Numbers 0 and 1 of each minute are left out, except of every tenth: 18 in ten minutes (SMPTE ST 12-1).
const DROPPED = 2;
const IN_MINUTE = 60 * 30 - DROPPED;
const IN_TEN = 10 * 60 * 30 - 9 * DROPPED;

export const isFilm = (format: TimeFormat): format is FilmFormat => format in RATES;
export const numbersOf = (format: FilmFormat): number => RATES[format].numbers;

/** The film frame that a sample belongs to. */
export function filmFrame(frame: number, rate: number, format: FilmFormat): number {
  const [up, down] = RATES[format].rate;
  return Math.floor((Math.max(0, frame) * up) / (rate * down) + 1e-7);
}

/** The first sample of a film frame. */
export function firstSample(film: number, rate: number, format: FilmFormat): number {
  const [up, down] = RATES[format].rate;
  return Math.ceil((film * rate * down) / up - 1e-7);
}

const two = (value: number): string => value.toString().padStart(2, '0');

/** "01:02:03:04"; a semicolon before the frame number marks a drop-frame code. */
export function filmCode(film: number, format: FilmFormat): string {
  const { numbers, drops } = RATES[format];
  let count = film;
  if (drops) {
    const rest = film % IN_TEN;
    count += Math.floor(film / IN_TEN) * 9 * DROPPED + (rest < 60 * 30 ? 0 : DROPPED * (1 + Math.floor((rest - 60 * 30) / IN_MINUTE)));
  }
  const s = Math.floor(count / numbers);
  return `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}${drops ? ';' : ':'}${two(count % numbers)}`;
}

/** Reads a code, whose leading parts may be missing; null if it is invalid or its number is dropped. */
export function readFilmCode(typed: string, format: FilmFormat): number | null {
  const found = /^(?:(?:(?:(\d+):)?(\d+):)?(\d+)[:;])?(\d+)$/.exec(typed);
  if (!found) return null;
  const { numbers, drops } = RATES[format];
  const [h, m, s, count] = found.slice(1).map((part) => Number(part ?? 0)) as [number, number, number, number];
  const alone = found[3] === undefined;
  // A bare number counts film frames; in a code, each part is limited by the next larger unit.
  if (alone) return count;
  if (count >= numbers || (found[2] !== undefined && s >= 60) || (found[1] !== undefined && m >= 60)) return null;
  const minutes = h * 60 + m + Math.floor(s / 60);
  if (drops && s % 60 === 0 && count < DROPPED && minutes % 10 !== 0) return null;
  const all = ((h * 60 + m) * 60 + s) * numbers + count;
  return drops ? all - DROPPED * (minutes - Math.floor(minutes / 10)) : all;
}
