// Parses typed times, as the command line does and as the time ruler shows them.

import type { TimeFormat } from '../bindings';
import { text } from '../text/catalogue';
import { filmCode, filmFrame, firstSample, isFilm, numbersOf, readFilmCode } from './film';
import { compact, formatInteger } from './quantity';
import { shortTime, timeCode } from './time';
import { formatPlace, type TimeDisplay } from './time-ruler';

/** The typed value, or the reason why it is invalid. */
export type Read = { value: number } | { problem: string };

export interface Clock {
  rate: number;
  /** Length of the recording. */
  frames: number;
  display: TimeDisplay;
  /** The read-out's time format; by default that of the ruler. */
  format?: TimeFormat;
}

/** The unit that a bare number counts. */
export type TimeKind = TimeDisplay['time_ruler'] | 'film';

/** The unit that a bare number counts in the format of a read-out. */
export function kindOf({ format = 'ruler', display }: Clock): TimeKind {
  if (format === 'ruler') return display.time_ruler;
  if (isFilm(format)) return 'film';
  return format === 'samples' || format === 'beats' ? format : 'time';
}

const t = text.typing;
const NUMBER = String.raw`\d+(?:[.,]\d*)?|[.,]\d+`;
const SECONDS: Record<string, number> = { ms: 1e-3, s: 1, sec: 1, min: 60, h: 3600 };
const clean = (typed: string): string => typed.trim().replaceAll('−', '-').replace(/[\u00a0\u2009\u202f]/g, ' ').toLowerCase();
const number = (typed: string): number => Number(typed.replace(',', '.'));
const beatFrames = ({ rate, display }: Clock): number => (60 * rate) / display.bpm;

/** Frames that a unit, or colons, give; null where neither does. */
function measured(typed: string, clock: Clock): number | null {
  const samples = /^([\d ]+?) ?(?:f|frames?|samples?)$/.exec(typed);
  if (samples) return number((samples[1] ?? '').replaceAll(' ', ''));
  const beats = new RegExp(`^(${NUMBER}) ?(?:beats?|schlag|schläge)$`).exec(typed);
  if (beats) return number(beats[1] ?? '') * beatFrames(clock);
  const unit = new RegExp(`^(${NUMBER}) ?(ms|sec|s|min|h)$`).exec(typed);
  if (unit) return number(unit[1] ?? '') * (SECONDS[unit[2] ?? ''] ?? NaN) * clock.rate;
  const parts = new RegExp(String.raw`^(?:(\d+):)?(\d+):(${NUMBER})$`).exec(typed);
  if (!parts) return null;
  const seconds = number(parts[3] ?? '');
  if (seconds >= 60 || (parts[1] !== undefined && Number(parts[2]) >= 60)) return null;
  return (Number(parts[1] ?? 0) * 3600 + Number(parts[2]) * 60 + seconds) * clock.rate;
}

/** Frames of a film code, or of a bare number, which the unit of the read-out gives a meaning. */
function bare(typed: string, clock: Clock): number | null {
  const { format = 'ruler' } = clock;
  if (isFilm(format)) {
    const film = readFilmCode(typed, format);
    return film === null ? null : firstSample(film, clock.rate, format);
  }
  const kind = kindOf(clock);
  if (kind === 'samples') return /^\d[\d ]*$/.test(typed) ? number(typed.replaceAll(' ', '')) : null;
  if (!new RegExp(`^(?:${NUMBER})$`).test(typed)) return null;
  return number(typed) * (kind === 'beats' ? beatFrames(clock) : clock.rate);
}

/** A bar and a beat, counted from 1: "12", "12:3", "12:3.5". */
function barAndBeat(typed: string, clock: Clock): Read | null {
  const parts = new RegExp(String.raw`^(\d+)(?::(${NUMBER}))?$`).exec(typed);
  if (!parts) return null;
  const { beats_per_bar } = clock.display;
  const beat = parts[2] === undefined ? 1 : number(parts[2]);
  if (Number(parts[1]) < 1 || beat < 1 || beat >= beats_per_bar + 1) return { problem: t.barsFromOne(beats_per_bar) };
  return { value: ((Number(parts[1]) - 1) * beats_per_bar + beat - 1) * beatFrames(clock) };
}

/** Reads frames, in the unit of the read-out first where colons could mean either. */
function meant(typed: string, clock: Clock): number | null {
  return kindOf(clock) === 'film' ? (bare(typed, clock) ?? measured(typed, clock)) : (measured(typed, clock) ?? bare(typed, clock));
}

function why(problems: typeof t.noPlace, clock: Clock): string {
  const { format = 'ruler' } = clock;
  if (format === 'film_29_97_drop') return t.inDropFrame(problems.film);
  return isFilm(format) ? t.inFilm(problems.film, numbersOf(format)) : problems[kindOf(clock)];
}

/** Reads a place in the recording, in frames. */
export function readPlace(typed: string, clock: Clock): Read {
  const words = clean(typed);
  if (words.startsWith('-')) return { problem: t.beforeStart };
  const bar = kindOf(clock) === 'beats' ? barAndBeat(words, clock) : null;
  const read = bar ?? found(meant(words, clock), why(t.noPlace, clock));
  if ('value' in read && read.value > clock.frames) return { problem: t.beyondEnd(placeText(clock.frames, clock)) };
  return read;
}

/** Reads a length, in frames. */
export function readLength(typed: string, clock: Clock): Read {
  const words = clean(typed);
  const read = found(meant(words, clock), why(t.noLength, clock));
  return 'value' in read && read.value < 1 ? { problem: t.noLengthAtAll } : read;
}

const found = (frames: number | null, problem: string): Read => (frames === null || !Number.isFinite(frames) ? { problem } : { value: Math.round(frames) });

const inSeconds = (seconds: number): string => `${seconds.toFixed(3)} s`;
const film = (frame: number, { rate, format = 'ruler' }: Clock): string | null => (isFilm(format) ? filmCode(filmFrame(frame, rate, format), format) : null);

/** A place as it can be typed again. */
export function placeText(frame: number, clock: Clock): string {
  const { rate, display, format = 'ruler' } = clock;
  if (format === 'clock') return shortTime(frame / rate);
  if (format === 'seconds') return inSeconds(frame / rate);
  return film(frame, clock) ?? formatPlace(frame, rate, { ...display, time_ruler: kindOf(clock) as TimeDisplay['time_ruler'] }, 3);
}

/** A length as it can be typed again. */
export function lengthText(frames: number, clock: Clock): string {
  const kind = kindOf(clock);
  if (kind === 'samples') return formatInteger(frames);
  if (kind === 'beats') return t.beats(compact(frames / beatFrames(clock), 6));
  if (clock.format === 'seconds') return inSeconds(frames / clock.rate);
  return film(frames, clock) ?? shortTime(frames / clock.rate);
}

/** A running position, of constant width, rounded down so that it is never ahead of the sound. */
export function clockText(frame: number, clock: Clock): string {
  const { rate, display, format = 'ruler' } = clock;
  const kind = kindOf(clock);
  if (kind === 'samples') return formatInteger(Math.floor(frame));
  if (kind === 'beats') return beatText(frame / beatFrames(clock), display);
  if (format === 'seconds') return inSeconds(Math.floor((frame * 1000) / rate + 1e-6) / 1000);
  return film(frame, clock) ?? timeCode(frame, rate);
}

/** Bar and beat with hundredths of a beat, rounded down. */
function beatText(beats: number, { beats_per_bar }: TimeDisplay): string {
  const hundredths = Math.floor(Math.max(0, beats) * 100 + 1e-6);
  const whole = Math.floor(hundredths / 100);
  return `${Math.floor(whole / beats_per_bar) + 1}:${(whole % beats_per_bar) + 1}.${(hundredths % 100).toString().padStart(2, '0')}`;
}
