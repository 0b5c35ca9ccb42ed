// Times as a person types them, read as the command line reads them and as the time ruler shows them.

import { text } from '../text/catalogue';
import { compact, formatInteger } from './quantity';
import { shortTime } from './time';
import { formatPlace, type TimeDisplay } from './time-ruler';

/** What was typed, or why it cannot be taken. */
export type Read = { value: number } | { problem: string };

export interface Clock {
  rate: number;
  /** Length of the recording. */
  frames: number;
  display: TimeDisplay;
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

/** Frames of a bare number, which the ruler's unit gives a meaning. */
function bare(typed: string, clock: Clock): number | null {
  if (clock.display.time_ruler === 'samples') return /^\d[\d ]*$/.test(typed) ? number(typed.replaceAll(' ', '')) : null;
  if (!new RegExp(`^(?:${NUMBER})$`).test(typed)) return null;
  return number(typed) * (clock.display.time_ruler === 'beats' ? beatFrames(clock) : clock.rate);
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

/** Reads a place in the recording, in frames. */
export function readPlace(typed: string, clock: Clock): Read {
  const words = clean(typed);
  if (words.startsWith('-')) return { problem: t.beforeStart };
  const bar = clock.display.time_ruler === 'beats' ? barAndBeat(words, clock) : null;
  const read = bar ?? found(measured(words, clock) ?? bare(words, clock), t.noPlace[clock.display.time_ruler]);
  if ('value' in read && read.value > clock.frames) return { problem: t.beyondEnd(placeText(clock.frames, clock)) };
  return read;
}

/** Reads a length, in frames. */
export function readLength(typed: string, clock: Clock): Read {
  const words = clean(typed);
  const read = found(measured(words, clock) ?? bare(words, clock), t.noLength[clock.display.time_ruler]);
  return 'value' in read && read.value < 1 ? { problem: t.noLengthAtAll } : read;
}

const found = (frames: number | null, problem: string): Read => (frames === null || !Number.isFinite(frames) ? { problem } : { value: Math.round(frames) });

/** A place as it can be typed again. */
export const placeText = (frame: number, { rate, display }: Clock): string => formatPlace(frame, rate, display, 3);

/** A length as it can be typed again. */
export function lengthText(frames: number, clock: Clock): string {
  if (clock.display.time_ruler === 'samples') return formatInteger(frames);
  if (clock.display.time_ruler === 'beats') return t.beats(compact(frames / beatFrames(clock), 6));
  return shortTime(frames / clock.rate);
}
