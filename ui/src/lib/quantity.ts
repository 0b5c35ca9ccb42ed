// Formatting and parsing of numbers with units.

import type { Unit } from '../bindings';
import { fixed, withMark } from './decimal';
import { hzFromName } from './note';

/** Up to `digits` significant digits, without needless zeros. */
export function compact(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const text = Number(value.toPrecision(digits));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(text))));
  const full = text.toFixed(Math.min(decimals, 12));
  const trimmed = full.includes('.') ? full.replace(/\.?0+$/, '') : full;
  return withMark(trimmed.replace('-', '−'));
}

/** Units of fields: those of parameters, and of settings of the window: a distance of levels has no sign. */
export type FieldUnit = Unit | 'dB apart' | 'LUFS';

/** Decibels as they are shown: to hundredths, below a tenth to thousandths, as of a filter's ripple. */
function shownDb(value: number): number {
  const steps = Math.abs(value) < 0.1 ? 1000 : 100;
  return Math.round(value * steps) / steps;
}

const signed = (text: string, value: number): string => (value > 0 ? `+${text}` : text);

export interface Quantity {
  number: string;
  unit: string;
}

/** A value as number and unit, the unit chosen by magnitude. */
export function quantity(value: number, unit: FieldUnit): Quantity {
  switch (unit) {
    case 'hz':
      return value >= 1000 ? { number: compact(value / 1000), unit: 'kHz' } : { number: compact(value), unit: 'Hz' };
    case 'dB':
      return { number: signed(compact(shownDb(value)), shownDb(value)), unit: 'dB' };
    case 'dB apart':
      return { number: compact(shownDb(value)), unit: 'dB' };
    case 'LUFS':
      return { number: compact(value), unit: 'LUFS' };
    case 'seconds':
      return value < 1 ? { number: compact(value * 1000), unit: 'ms' } : { number: compact(value), unit: 's' };
    case 'percent':
      return { number: compact(Math.round(value * 1000) / 10), unit: '%' };
    case 'kbps':
      return { number: compact(value), unit: 'kbit/s' };
    case 'none':
      return { number: compact(value), unit: '' };
  }
}

/** A value in words: "1.2 kHz". */
export function formatQuantity(value: number, unit: FieldUnit): string {
  const parts = quantity(value, unit);
  return parts.unit === '' ? parts.number : `${parts.number} ${parts.unit}`;
}

const FACTORS: Record<FieldUnit, Record<string, number>> = {
  hz: { '': 1, hz: 1, k: 1000, khz: 1000, m: 1e6, mhz: 1e6 },
  dB: { '': 1, db: 1, dbfs: 1, dbtp: 1, lu: 1 },
  'dB apart': { '': 1, db: 1 },
  LUFS: { '': 1, lufs: 1 },
  seconds: { '': 1, s: 1, sec: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, min: 60 },
  percent: { '': 0.01, '%': 0.01 },
  kbps: { '': 1, kbps: 1, 'kbit/s': 1, kbit: 1, k: 1 },
  none: { '': 1, k: 1000 },
};

/** Decibels to four decimals, of an amplitude in per cent or as a factor. */
const decibels = (factor: number): number => Math.round(20 * Math.log10(factor) * 1e4) / 1e4;

/**
 * Reads a typed value in the parameter's unit: "1k", "1.2 kHz", "A4", "-3", "20 ms", "1:02.5". Null if it is not
 * understood. A bare number is in hertz, decibels or per cent, as in the chain's text; a bare time in the shown unit.
 */
export function parseQuantity(text: string, unit: FieldUnit, shownUnit = ''): number | null {
  if (unit === 'hz') {
    const pitch = hzFromName(text);
    if (pitch !== null) return pitch;
  }
  const clock = unit === 'seconds' ? /^(?:(\d+):)?(\d+):([0-5]?\d(?:[.,]\d*)?)$/.exec(text.trim()) : null;
  if (clock) return Number(clock[1] ?? 0) * 3600 + Number(clock[2]) * 60 + Number((clock[3] ?? '').replace(',', '.'));
  const clean = text.trim().replaceAll('−', '-').replaceAll('\u202f', '').replaceAll('\u00a0', ' ');
  const match = /^([+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?)\s*([a-zµ%/]*)$/i.exec(clean);
  if (!match) return null;
  const number = Number((match[1] ?? '').replace(',', '.'));
  const suffix = (match[2] ?? '').toLowerCase();
  if (unit === 'dB' && number > 0 && (suffix === '%' || suffix === 'x')) return decibels(suffix === '%' ? number / 100 : number);
  const factor = FACTORS[unit][suffix === '' && unit === 'seconds' ? shownUnit.toLowerCase() : suffix] ?? null;
  if (factor === null || !Number.isFinite(number)) return null;
  return Number((number * factor).toPrecision(15));
}

/** A level re full scale to one decimal; silence is minus infinity. */
export function formatLevel(db: number | null): string {
  return db === null || !Number.isFinite(db) ? '−∞ dBFS' : `${signed(fixed(db, 1), db)} dBFS`;
}

const SCALES: [number, string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** A rate with a decimal prefix: "12.4 GB/s". */
export function formatRate(perSecond: number | null, what: string): string | null {
  if (perSecond === null) return null;
  for (const [size, prefix] of SCALES) {
    if (perSecond >= size) return `${compact(perSecond / size, 3)} ${prefix}${what}`;
  }
  return `${compact(perSecond, 3)} ${what}`;
}

export function formatBytes(bytes: number): string {
  return formatRate(bytes, 'B') ?? '';
}

/** A speed as a multiple of real time: "850×". */
export function formatSpeed(times: number): string {
  return `${compact(times, times >= 100 ? 3 : 2)}×`;
}

export function formatInteger(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f')
    .replace('-', '−');
}

/** A frequency as precisely as it can be distinguished: to a tenth below 1 kHz, whole hertz above 10 kHz. */
export function formatHertz(hz: number): string {
  if (hz >= 10_000) return `${formatInteger(hz)} Hz`;
  const tenths = Math.round(hz * 10);
  return withMark(`${formatInteger(Math.floor(tenths / 10))}.${tenths % 10} Hz`);
}

/** A level of a spectrum, re a full-scale sine, to one decimal. */
export function formatDecibels(db: number | null): string {
  return db === null || !Number.isFinite(db) ? '−∞ dB' : `${fixed(db, 1)} dB`;
}

/** By how much a level differs from another, to one decimal; a dash where one of them is silence. */
export function formatChange(db: number | null): string {
  if (db === null || !Number.isFinite(db)) return '—';
  const rounded = Math.round(db * 10) / 10;
  return `${rounded < 0 ? '−' : rounded > 0 ? '+' : ''}${fixed(Math.abs(rounded), 1)} dB`;
}

/** An angle in degrees to one decimal, above -180 and up to 180; a dash where there is none. */
export function formatDegrees(rad: number | null): string {
  if (rad === null || !Number.isFinite(rad)) return '—';
  const tenths = Math.round((rad * 1800) / Math.PI);
  const turned = tenths - 3600 * Math.ceil(tenths / 3600 - 0.5);
  return `${turned < 0 ? '−' : ''}${fixed(Math.abs(turned) / 10, 1)}°`;
}

/** A loudness without its unit; a dash where there is none, silence is minus infinity. */
export function formatLoudness(lufs: number | null): string {
  if (lufs === null) return '—';
  return Number.isFinite(lufs) ? fixed(lufs, 1) : '−∞';
}
