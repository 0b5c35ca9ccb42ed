// Curves and pictures of a track over time: their names, axes and values.

import { fixed } from '../../../lib/decimal';
import type { SeriesView } from '../../../bindings';

export interface AxisMark {
  /** From 0 at the foot to 1 at the top. */
  at: number;
  label: string;
}

export interface Axis {
  marks: AxisMark[];
  unit: string;
  /** The value range of a curve; none for a picture, whose rows are what the marks name. */
  range: [low: number, high: number] | null;
}

const NOTES = ['C', 'C♯', 'D', 'D♯', 'E', 'F', 'F♯', 'G', 'G♯', 'A', 'A♯', 'B'];
/** The tempi of a tempogram's first and last row; those between lie at even distances on a logarithmic scale. */
export const TEMPO_RANGE_BPM = [30, 300] as const;
const TEMPO_MARKS = [40, 60, 90, 120, 180, 240];

const [SLOWEST, FASTEST] = TEMPO_RANGE_BPM;
export const placeOfTempo = (bpm: number): number => Math.log(bpm / SLOWEST) / Math.log(FASTEST / SLOWEST);
const tempoAt = (row: number, rows: number): number => SLOWEST * (FASTEST / SLOWEST) ** (row / Math.max(1, rows - 1));

/** Rows of time. */
export const rowsOf = (series: SeriesView): number => Math.floor(series.values.length / Math.max(1, series.width));
export const endOf = (series: SeriesView): number => series.start_s + rowsOf(series) * series.step_s;

/** The axis of a picture or of a curve. */
export function axisOf(series: SeriesView): Axis {
  if (series.name === 'chroma' && series.width === NOTES.length) return { unit: '', range: null, marks: NOTES.map((label, row) => ({ at: (row + 0.5) / NOTES.length, label })) };
  if (series.name === 'tempogram') return { unit: 'BPM', range: null, marks: TEMPO_MARKS.map((bpm) => ({ at: placeOfTempo(bpm), label: `${bpm}` })) };
  if (series.width > 1) return { unit: '', range: null, marks: [] };
  return curveAxis(series);
}

function curveAxis(series: SeriesView): Axis {
  let [low, high] = [Infinity, -Infinity];
  for (const value of series.values) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return { unit: series.unit, range: [0, 1], marks: [] };
  // For loudness, loud parts matter; a fade at the end must not flatten the rest.
  const floor = series.name === 'loudness' ? Math.max(low, high - 36) : low;
  const step = stepFor(Math.max(high - floor, 1e-6));
  const range: [number, number] = [Math.floor(floor / step) * step, Math.max(Math.ceil(high / step), Math.floor(floor / step) + 1) * step];
  const marks: AxisMark[] = [];
  for (let value = range[0]; value <= range[1] + step / 2; value += step) marks.push({ at: (value - range[0]) / (range[1] - range[0]), label: String(Number(value.toPrecision(6))).replace('-', '−') });
  return { unit: series.unit, range, marks };
}

/** A step of 1, 2, 3 or 5 times a power of ten that cuts a range into three to six parts. */
function stepFor(range: number): number {
  const unit = 10 ** Math.floor(Math.log10(range));
  return [0.2, 0.3, 0.5, 1, 2, 3].map((each) => each * unit).find((step) => range / step <= 6) ?? unit;
}

/** The value at a moment, and of a picture the row at a place between foot (0) and top (1). */
export function valueAt(series: SeriesView, seconds: number, place: number): { value: number | null; row: number } | null {
  const time = Math.floor((seconds - series.start_s) / series.step_s);
  if (time < 0 || time >= rowsOf(series)) return null;
  const row = Math.max(0, Math.min(series.width - 1, Math.floor(place * series.width)));
  return { value: series.values[time * series.width + row] ?? null, row };
}

/** The name of a row of a picture: a note, a tempo, or its number. */
export function nameOfRow(series: SeriesView, row: number): string {
  if (series.name === 'chroma') return NOTES[row] ?? '';
  if (series.name === 'tempogram') return `${tempoAt(row, series.width).toFixed(0)} BPM`;
  return series.width > 1 ? `${row + 1}` : '';
}

export function formatValue(series: SeriesView, value: number | null): string {
  if (value === null) return '—';
  const figures = series.unit === '' ? fixed(value, 2) : fixed(value, 1);
  return `${figures.replace('-', '−')}${series.unit === '' ? '' : ` ${series.unit}`}`;
}
