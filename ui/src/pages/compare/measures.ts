// The table of a comparison: values as text, bars on a common scale, the best, and the order of versions.

import type { CompareSound, CompareValue, CompareVersion, Measure, Part } from '../../bindings';
import { text } from '../../text/catalogue';
import { fixed, plainFixed } from '../../lib/decimal';
import { said } from '../../text/core-words';

/** A value as the table shows it; null if there is none. */
export function shownValue(value: CompareValue | undefined, measure: Measure, format = fixed): string | null {
  if (!value) return null;
  if (value.infinite !== null) return value.infinite > 0 ? '∞' : '−∞';
  return value.value === null ? null : format(value.value, measure.decimals);
}

/** The numeric value, for comparisons. */
export function numberOf(value: CompareValue | undefined): number | null {
  if (!value) return null;
  return value.infinite !== null ? value.infinite * Infinity : value.value;
}

/** A version's value for the measure at a place in the table, over all channels. */
export const wholeOf = (version: CompareVersion, place: number): CompareValue | undefined => version.readings[place]?.whole;

/** The reason why there is no number, or the meaning of an infinite one. */
export const whyNone = (value: CompareValue): string => (value.infinite === 1 ? text.compare.infinite : said(value.missing ?? ''));

/** The reason why a version has no number for a measure, or the meaning of an infinite one. */
export function whyMissing(version: CompareVersion, place: number): string {
  const value = wholeOf(version, place);
  if (!value) return version.failure ? said(version.failure.message) : text.compare.states[version.state];
  return whyNone(value);
}

/** Whether a part differs between the two. */
export const isEdited = (part: Part): boolean => part.kind !== 'same';

/** The time of the reference at which a part is, or after which it was inserted, in seconds. */
export function partTime(parts: Part[], part: Part): number {
  if (part.reference_s) return part.reference_s[0];
  // After the part that precedes it in the other version.
  const start = part.other_s?.[0] ?? 0;
  const before = parts.filter(({ reference_s, other_s }) => reference_s && other_s && other_s[1] <= start + 1e-6);
  return Math.max(0, ...before.map(({ reference_s }) => reference_s?.[1] ?? 0));
}

/** The worth of a value, higher is better; null if there is none. */
export function worth(value: number | null, measure: Measure): number | null {
  if (value === null) return null;
  if (measure.direction === 'higher') return value;
  return measure.direction === 'lower' ? -value : -Math.abs(value);
}

/** The versions with the best value of a measure; none if fewer than two have one, or all look the same. */
export function bestOf(versions: CompareVersion[], place: number, measure: Measure): Set<number> {
  const found = versions.flatMap((version) => {
    const whole = wholeOf(version, place);
    const value = worth(numberOf(whole), measure);
    return value === null ? [] : [{ id: version.id, value, shown: shownValue(whole, measure) }];
  });
  if (found.length < 2 || new Set(found.map(({ shown }) => shown)).size < 2) return new Set();
  const top = found.reduce((a, b) => (b.value > a.value ? b : a));
  return new Set(found.filter(({ shown }) => shown === top.shown).map(({ id }) => id));
}

export interface Bar {
  /** The ends of the bar, 0..1 of the width. */
  from: number;
  to: number;
}

/** The ends of the scale for all bars of a measure, which always includes zero. */
export function scaleOf(versions: CompareVersion[], place: number, measure: Measure): [number, number] {
  let [low, high] = [0, 0];
  for (const version of versions) {
    const value = wholeOf(version, place)?.value ?? null;
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (measure.direction === 'near_zero') {
    const most = Math.max(-low, high);
    return [-most, most];
  }
  return [low, high];
}

/** The bar of a value; null if there is none. */
export function barOf(of: CompareValue | undefined, [low, high]: [number, number]): Bar | null {
  const value = numberOf(of);
  if (value === null) return null;
  const place = (at: number): number => (high > low ? (Math.max(low, Math.min(high, at)) - low) / (high - low) : at === 0 ? 0 : Math.sign(at) > 0 ? 1 : 0);
  const [zero, end] = [high > low ? place(0) : 0, value === Infinity ? 1 : value === -Infinity ? 0 : place(value)];
  return { from: Math.min(zero, end), to: Math.max(zero, end) };
}

export interface Sorting {
  measure: string;
  worstFirst: boolean;
}

/** The next sorting when a measure is pressed: best first, worst first, as listed. */
export function nextSorting(now: Sorting | null, measure: string): Sorting | null {
  if (now?.measure !== measure) return { measure, worstFirst: false };
  return now.worstFirst ? null : { measure, worstFirst: true };
}

/** The versions sorted by a measure; those without a value come last, as listed. */
export function sortedVersions(versions: CompareVersion[], measures: Measure[], sorting: Sorting | null): CompareVersion[] {
  const place = measures.findIndex(({ name }) => name === sorting?.measure);
  const measure = measures[place];
  if (!measure || !sorting) return versions;
  const value = (version: CompareVersion): number | null => worth(numberOf(wholeOf(version, place)), measure);
  return [...versions].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (left === right) return 0;
    return (left > right ? -1 : 1) * (sorting.worstFirst ? -1 : 1);
  });
}

/** The table as text for other programs: tabs between columns. */
export function tableText(versions: CompareVersion[], measures: Measure[], heads: { measure: string; missing: string }): string {
  const plain = (text: string): string => text.replace(/[\t\r\n]/g, ' ');
  const head = [heads.measure, ...versions.map(({ name }) => plain(name))];
  const rows = measures.map((measure, place) => [measure.unit ? `${said(measure.title)} (${measure.unit})` : said(measure.title), ...versions.map((version) => (shownValue(wholeOf(version, place), measure, plainFixed) ?? heads.missing).replace('−', '-'))]);
  return [head, ...rows].map((row) => row.join('\t')).join('\n');
}

export const sameSound = (a: CompareSound | null, b: CompareSound | null): boolean => a?.kind === b?.kind && a?.version === b?.version;
