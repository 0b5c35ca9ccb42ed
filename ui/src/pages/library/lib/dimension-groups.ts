// The 25 dimensions in groups, as used by a track's page and by the weights of similarity.

import { said } from '../../../text/core-words';
import { fixed } from '../../../lib/decimal';
import type { DimensionView, TrackPageView } from '../../../bindings';

export type DimensionGroup = 'spectrum' | 'level' | 'rhythm' | 'timbre' | 'harmony' | 'dynamics' | 'stereo' | 'other';

export const GROUPS: Record<Exclude<DimensionGroup, 'other'>, string[]> = {
  spectrum: ['band_sub_bass', 'band_bass', 'band_low_mid', 'band_mid', 'band_upper_mid', 'band_presence', 'band_air'],
  level: ['loudness_lufs', 'crest_db', 'bass_mid_ratio_db', 'silence_ratio'],
  rhythm: ['tempo_bpm', 'rhythm_stability', 'transient_density'],
  timbre: ['centroid_hz', 'rolloff_hz', 'flatness'],
  harmony: ['harmonic_ratio', 'pitch_stability', 'chroma_energy'],
  dynamics: ['dynamic_range_variation', 'loudness_variation_db', 'peak_consistency'],
  stereo: ['stereo_width', 'phase_correlation'],
};

export interface DimensionRow {
  dimension: DimensionView;
  value: number | null;
  /** The share of the library's tracks with a lower value. */
  percentile: number | null;
  /** The reason why it has no value. */
  missing: string | null;
}

/** Where a value lies between the ends of its dimension's axis, 0 to 1. */
export function placeOn(dimension: DimensionView, value: number): number {
  return Math.max(0, Math.min(1, (value - dimension.low) / (dimension.high - dimension.low)));
}

export function figure(dimension: DimensionView, value: number): string {
  return fixed(value, dimension.decimals);
}

/** All dimensions with a track's values, by group; a dimension that no group names comes last. */
export function dimensionGroups(dimensions: DimensionView[], page: TrackPageView): { group: DimensionGroup; rows: DimensionRow[] }[] {
  const rows = dimensions.map((dimension, at): DimensionRow => ({ dimension, value: page.item.features[at] ?? null, percentile: page.percentiles[at] ?? null, missing: missingIn(page, dimension.name) }));
  const named = new Set(Object.values(GROUPS).flat());
  const groups = (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => ({ group: group as DimensionGroup, rows: GROUPS[group].flatMap((name) => rows.find((row) => row.dimension.name === name) ?? []) }));
  return [...groups, { group: 'other' as const, rows: rows.filter((row) => !named.has(row.dimension.name)) }].filter((each) => each.rows.length > 0);
}

function missingIn(page: TrackPageView, dimension: string): string | null {
  const reason = page.missing[dimension];
  return reason === undefined ? null : said(reason);
}
