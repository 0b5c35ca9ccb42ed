// The directions of a map in words: left and right, above and below.

import { fixed } from '../../../lib/decimal';
import type { MapAxis } from '../../../backend/map';
import type { DimensionView } from '../../../bindings';
import { text } from '../../../text/catalogue';

/** The words for little and much of a dimension; none for one without words. */
export function axisEnds(dimension: string): [less: string, more: string] | null {
  const words = text.questions.dimensions[dimension];
  return words ? [words.less, words.more] : null;
}

/** The words at both ends of a direction: where it begins, and where it leads. */
export function endsOf(axis: MapAxis | null, dimensions: readonly DimensionView[]): [from: string, to: string] | null {
  const name = axis && dimensions[axis.dimension]?.name;
  const ends = name == null ? null : axisEnds(name);
  return !ends || !axis ? null : axis.correlation < 0 ? [ends[1], ends[0]] : ends;
}

/** A direction in one line, with the correlation behind it. */
export function axisWords(axis: MapAxis | null, dimensions: readonly DimensionView[], sentence: (from: string, to: string, correlation: string) => string): string | null {
  const ends = endsOf(axis, dimensions);
  return ends && axis ? sentence(ends[0], ends[1], fixed(Math.abs(axis.correlation), 2)) : null;
}
