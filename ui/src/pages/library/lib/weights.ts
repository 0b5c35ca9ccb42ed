// The weight of each dimension in similarity, in intuitive groups, as a factor of the standard weight.

import type { DimensionView } from '../../../bindings';
import { GROUPS, type DimensionGroup } from './dimension-groups';

/** The most that a dimension can count, as a factor of its standard weight. */
export const MOST = 4;

/** Weights that differ from the standard ones, by name. */
export type Weights = Readonly<Record<string, number>>;

export interface WeightGroup {
  name: DimensionGroup;
  dimensions: DimensionView[];
}

/** The dimensions in their groups; those in no named group form one of the rest, so that all can be set. */
export function grouped(dimensions: readonly DimensionView[]): WeightGroup[] {
  const byName = new Map(dimensions.map((each) => [each.name, each]));
  const groups: WeightGroup[] = Object.entries(GROUPS).map(([name, names]) => ({
    name: name as DimensionGroup,
    dimensions: names.map((each) => byName.get(each)).filter((each) => each !== undefined),
  }));
  const known = new Set(Object.values(GROUPS).flat());
  groups.push({ name: 'other', dimensions: dimensions.filter((each) => !known.has(each.name)) });
  return groups.filter((group) => group.dimensions.length > 0);
}

export const weightOf = (weights: Weights, dimension: DimensionView): number => weights[dimension.name] ?? dimension.weight;

/** How much a dimension counts, 1 being as usual. */
export const factorOf = (weights: Weights, dimension: DimensionView): number => (dimension.weight > 0 ? weightOf(weights, dimension) / dimension.weight : 0);

const rounded = (value: number): number => Number(value.toPrecision(6));

export function withFactor(weights: Weights, dimension: DimensionView, factor: number): Weights {
  const held = Math.min(MOST, Math.max(0, factor));
  const next = { ...weights };
  if (Math.abs(held - 1) < 1e-6) delete next[dimension.name];
  else next[dimension.name] = rounded(held * dimension.weight);
  return next;
}

/** How much a group counts as a whole. */
export function groupFactor(weights: Weights, group: WeightGroup): number {
  const standard = group.dimensions.reduce((sum, each) => sum + each.weight, 0);
  return standard > 0 ? group.dimensions.reduce((sum, each) => sum + weightOf(weights, each), 0) / standard : 0;
}

/**
 * Sets the factor of a whole group: its dimensions keep their proportions up to the maximum; from zero they return to
 * their standard weights.
 */
export function withGroupFactor(weights: Weights, group: WeightGroup, factor: number): Weights {
  const held = Math.min(MOST, Math.max(0, factor));
  const now = groupFactor(weights, group);
  // At zero the proportions are lost; at the standard factor they are the standard ones.
  const anew = now < 1e-6;
  let next = weights;
  for (const each of group.dimensions) next = withFactor(next, each, anew ? held : (factorOf(weights, each) * held) / now);
  return next;
}

/** The share of the whole that each dimension has, by name; all 0 when nothing counts. */
export function shares(weights: Weights, dimensions: readonly DimensionView[]): Map<string, number> {
  const sum = dimensions.reduce((total, each) => total + weightOf(weights, each), 0);
  return new Map(dimensions.map((each) => [each.name, sum > 0 ? weightOf(weights, each) / sum : 0]));
}

export const countsNothing = (weights: Weights, dimensions: readonly DimensionView[]): boolean => dimensions.every((each) => weightOf(weights, each) === 0);
export const isStandard = (weights: Weights): boolean => Object.keys(weights).length === 0;
