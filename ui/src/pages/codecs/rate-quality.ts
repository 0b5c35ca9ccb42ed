// Where the points of a rate-quality plot lie, and its ticks.

import type { CodecsRow } from '../../bindings';
import { fixed } from '../../lib/decimal';

export interface RatePoint {
  codec: string;
  x: number;
  y: number;
  /** The ends of the bar of the standard deviation. */
  low: number;
  high: number;
}

export interface RateSeries {
  family: string;
  points: RatePoint[];
}

export interface RatePlot {
  series: RateSeries[];
  xTicks: { at: number; label: string }[];
  yTicks: { at: number; label: string }[];
}

/** Whole numbers without a fraction, others with what tells neighbours apart. */
const label = (value: number, step: number): string => fixed(value, Math.max(0, Math.min(6, -Math.floor(Math.log10(step)))));

/** Steps of 1, 2 or 5 times a power of ten, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count;
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= raw) ?? raw;
  const found: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high; at++) found.push(at * step);
  return found;
}

/** Lays a measure of rows out in a field of `width` by `height`; null if no row has a number. Rates are logarithmic. */
export function ratePlot(rows: CodecsRow[], place: number, width: number, height: number): RatePlot | null {
  const all = rows.flatMap((row) => {
    const value = row.values[place];
    return value && row.kbps && row.kbps.mean > 0 ? [{ family: row.family, codec: row.codec, kbps: row.kbps.mean, mean: value.mean, sd: value.sd ?? 0 }] : [];
  });
  if (all.length === 0) return null;
  const least = (of: (point: (typeof all)[number]) => number) => Math.min(...all.map(of));
  const most = (of: (point: (typeof all)[number]) => number) => Math.max(...all.map(of));
  const [from, to] = [Math.log(least((p) => p.kbps) / 1.25), Math.log(most((p) => p.kbps) * 1.25)];
  const [low, high] = [least((p) => p.mean - p.sd), most((p) => p.mean + p.sd)];
  const room = Math.max(0.08 * (high - low), 0.02 * Math.max(Math.abs(low), Math.abs(high)), 1e-6);
  const [bottom, top] = [low - room, high + room];
  const x = (kbps: number) => (width * (Math.log(kbps) - from)) / (to - from);
  const y = (value: number) => (height * (top - value)) / (top - bottom);
  const series: RateSeries[] = [];
  for (const { family, codec, kbps, mean, sd } of all) {
    let curve = series.find((each) => each.family === family);
    if (!curve) series.push((curve = { family, points: [] }));
    curve.points.push({ codec, x: x(kbps), y: y(mean), low: y(mean - sd), high: y(mean + sd) });
  }
  for (const curve of series) curve.points.sort((a, b) => a.x - b.x);
  const decades = [1, 10, 100, 1000, 10_000].flatMap((power) => [1, 2, 5].map((times) => times * power));
  const values = ticks(bottom, top, 5);
  const step = values.length > 1 ? (values[1] ?? 0) - (values[0] ?? 0) : 1;
  return {
    series,
    xTicks: decades.filter((kbps) => Math.log(kbps) >= from && Math.log(kbps) <= to).map((kbps) => ({ at: x(kbps), label: `${kbps}` })),
    yTicks: values.map((value) => ({ at: y(value), label: label(value, step) })),
  };
}
