// Why a track is like another: what differs most and what agrees, as words and figures.

import { fixed } from '../../../lib/decimal';
import type { ContributionView, DimensionView, SimilarItem } from '../../../bindings';
import { text } from '../../../text/catalogue';
import { inSentence } from '../../../text/language';
import { formatQuantity } from '../../../lib/quantity';

export interface Reason {
  dimension: string;
  /** "brighter", "tempo". */
  word: string;
  /** "3.1 / 2.4 kHz": the found track's value, then the asked one's. */
  figures: string;
  /** Share of the distance, 0 to 1. */
  share: number;
}

/** Names that are shares of a whole, which people read as per cent. */
const SHARES = /^band_|_ratio$|^stereo_width$/;
/** A dimension that adds less than this part of its weight to the distance is alike. */
const ALIKE = 0.25;
const NONE = '—';

/** A value without its unit, and the unit. */
function figure(value: number, dimension: DimensionView): { number: string; unit: string } {
  if (dimension.unit === 'Hz') return value >= 1000 ? { number: fixed(value / 1000, 1), unit: 'kHz' } : { number: fixed(value, 0), unit: 'Hz' };
  if (SHARES.test(dimension.name) && dimension.unit !== 'dB') return { number: fixed(value * 100, dimension.decimals > 2 ? 1 : 0), unit: '%' };
  return { number: fixed(value, dimension.decimals), unit: dimension.unit };
}

const joined = (number: string, unit: string): string => (unit === '' ? number : `${number} ${unit}`);

/** A value of a dimension in words: "3.1 kHz", "42.0 %"; a dash for none. */
export function formatDimension(value: number | null, dimension: DimensionView): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  const { number, unit } = figure(value, dimension);
  return joined(number, unit);
}

/** Two values, the unit once where it is the same. */
export function formatPair(found: number | null, asked: number | null, dimension: DimensionView): string {
  if (found === null || asked === null) return `${formatDimension(found, dimension)} / ${formatDimension(asked, dimension)}`;
  const [one, other] = [figure(found, dimension), figure(asked, dimension)];
  return one.unit === other.unit ? joined(`${one.number} / ${other.number}`, one.unit) : `${joined(one.number, one.unit)} / ${joined(other.number, other.unit)}`;
}

export const dimensionName = (name: string): string => text.library.columns[name] ?? name.replaceAll('_', ' ');

/** The name as it stands inside a line. */
const plainName = (name: string): string => inSentence(dimensionName(name));

/** The word for more or less of a dimension in the found track; its plain name where the figures read the same. */
function wordFor(contribution: ContributionView, dimension: DimensionView): string {
  const words = text.questions.dimensions[contribution.dimension];
  const { asked, found } = contribution;
  if (!words || asked === null || found === null || formatDimension(asked, dimension) === formatDimension(found, dimension)) return plainName(contribution.dimension);
  return found > asked ? words.more : words.less;
}

function reasonFor(contribution: ContributionView, dimension: DimensionView, plain: boolean): Reason {
  return {
    dimension: contribution.dimension,
    word: plain ? plainName(contribution.dimension) : wordFor(contribution, dimension),
    figures: formatPair(contribution.found, contribution.asked, dimension),
    share: contribution.share,
  };
}

/** Every dimension that counted, the largest share of the distance first. */
export function allReasons(item: SimilarItem, dimensions: ReadonlyMap<string, DimensionView>): Reason[] {
  return item.contributions.flatMap((contribution) => {
    const dimension = dimensions.get(contribution.dimension);
    return dimension ? [reasonFor(contribution, dimension, false)] : [];
  });
}

/** The dimensions that differ most, and of those that count the ones that agree best. */
export function mainReasons(item: SimilarItem, dimensions: ReadonlyMap<string, DimensionView>, weightShares: ReadonlyMap<string, number>): { differs: Reason[]; agrees: Reason[] } {
  const known = item.contributions.filter((each) => dimensions.has(each.dimension) && each.asked !== null && each.found !== null);
  const differing = known.filter((each) => each.share > 0).slice(0, 2);
  // Of what counts much, that which adds least to the distance. What says nothing in figures explains nothing.
  const agreeing = known
    .filter((each) => !differing.includes(each))
    .map((each) => ({ each, weight: weightShares.get(each.dimension) ?? 0 }))
    .filter(({ each, weight }) => weight > 0 && each.share < ALIKE * weight)
    .sort((a, b) => b.weight - b.each.share - (a.weight - a.each.share))
    .slice(0, 2)
    .map(({ each }) => each);
  const made = (each: ContributionView, plain: boolean): Reason[] => {
    const dimension = dimensions.get(each.dimension);
    return dimension ? [reasonFor(each, dimension, plain)] : [];
  };
  return { differs: differing.flatMap((each) => made(each, false)), agrees: agreeing.flatMap((each) => made(each, true)) };
}

/** A score as people read it: "93 %". Only what is equal has 100. */
export function formatScore(score: number): string {
  const whole = Math.round(score * 100);
  return formatQuantity((whole >= 100 && score < 1 ? 99 : whole) / 100, 'percent');
}
