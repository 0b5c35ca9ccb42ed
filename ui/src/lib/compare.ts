// The table of a comparison: values as text, bars on a common scale, the best, and the order of versions.

import type { CompareMeasure, CompareReading, CompareSound, CompareVersion } from '../bindings';
import { text } from '../text/catalogue';
import { said } from '../text/core-words';

/** A number with the measure's digits and a real minus. */
export const fixedTo = (value: number, decimals: number): string => {
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace('-', '') : text).replace('-', '−');
};

/** A value as the table shows it; null if there is none. */
export function shownValue(reading: CompareReading | undefined, measure: CompareMeasure): string | null {
  if (!reading) return null;
  if (reading.infinite !== null) return reading.infinite > 0 ? '∞' : '−∞';
  return reading.value === null ? null : fixedTo(reading.value, measure.decimals);
}

/** The number that a value counts as. */
export function numberOf(reading: CompareReading | undefined): number | null {
  if (!reading) return null;
  return reading.infinite !== null ? reading.infinite * Infinity : reading.value;
}

/** Why a version has no number for a measure, or what an infinite one means. */
export function whyMissing(version: CompareVersion, place: number): string {
  const reading = version.readings[place];
  if (!reading) return version.failure ? said(version.failure.message) : text.compare.states[version.state];
  return reading.infinite === 1 ? text.compare.infinite : said(reading.missing ?? '');
}

/** How good a value is: the higher, the better; null if there is none. */
export function worth(value: number | null, measure: CompareMeasure): number | null {
  if (value === null) return null;
  if (measure.better === 'higher') return value;
  return measure.better === 'lower' ? -value : -Math.abs(value);
}

/** The versions that have the best value of a measure; none where fewer than two have one, or all are alike as shown. */
export function bestOf(versions: CompareVersion[], place: number, measure: CompareMeasure): Set<number> {
  const found = versions.flatMap((version) => {
    const reading = version.readings[place];
    const value = worth(numberOf(reading), measure);
    return value === null ? [] : [{ id: version.id, value, shown: shownValue(reading, measure) }];
  });
  if (found.length < 2 || new Set(found.map(({ shown }) => shown)).size < 2) return new Set();
  const top = found.reduce((a, b) => (b.value > a.value ? b : a));
  return new Set(found.filter(({ shown }) => shown === top.shown).map(({ id }) => id));
}

export interface Bar {
  /** From where to where, 0..1 of the width. */
  from: number;
  to: number;
}

/** The ends of the scale on which all bars of a measure are drawn; zero is always on it. */
export function scaleOf(versions: CompareVersion[], place: number, measure: CompareMeasure): [number, number] {
  let [low, high] = [0, 0];
  for (const version of versions) {
    const value = version.readings[place]?.value ?? null;
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (measure.better === 'near_zero') {
    const most = Math.max(-low, high);
    return [-most, most];
  }
  return [low, high];
}

/** The bar of a value; null if there is none. */
export function barOf(reading: CompareReading | undefined, [low, high]: [number, number]): Bar | null {
  const value = numberOf(reading);
  if (value === null) return null;
  const place = (at: number): number => (high > low ? (Math.max(low, Math.min(high, at)) - low) / (high - low) : at === 0 ? 0 : Math.sign(at) > 0 ? 1 : 0);
  const [zero, end] = [high > low ? place(0) : 0, value === Infinity ? 1 : value === -Infinity ? 0 : place(value)];
  return { from: Math.min(zero, end), to: Math.max(zero, end) };
}

export interface Sorting {
  measure: string;
  worstFirst: boolean;
}

/** The next order when a measure is asked for: best first, worst first, as listed. */
export function nextSorting(now: Sorting | null, measure: string): Sorting | null {
  if (now?.measure !== measure) return { measure, worstFirst: false };
  return now.worstFirst ? null : { measure, worstFirst: true };
}

/** The versions in the order of a measure; those without a value at the end, in the order of the list. */
export function sortedVersions(versions: CompareVersion[], measures: CompareMeasure[], sorting: Sorting | null): CompareVersion[] {
  const place = measures.findIndex(({ name }) => name === sorting?.measure);
  const measure = measures[place];
  if (!measure || !sorting) return versions;
  const value = (version: CompareVersion): number | null => worth(numberOf(version.readings[place]), measure);
  return [...versions].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (left === right) return 0;
    return (left > right ? -1 : 1) * (sorting.worstFirst ? -1 : 1);
  });
}

/** The table as text for other programs: tabs between columns. */
export function tableText(versions: CompareVersion[], measures: CompareMeasure[], heads: { measure: string; missing: string }): string {
  const plain = (text: string): string => text.replace(/[\t\r\n]/g, ' ');
  const head = [heads.measure, ...versions.map(({ name }) => plain(name))];
  const rows = measures.map((measure, place) => [measure.unit ? `${measure.name} (${measure.unit})` : measure.name, ...versions.map((version) => (shownValue(version.readings[place], measure) ?? heads.missing).replace('−', '-'))]);
  return [head, ...rows].map((row) => row.join('\t')).join('\n');
}

export const sameSound = (a: CompareSound | null, b: CompareSound | null): boolean => a?.kind === b?.kind && a?.version === b?.version;
