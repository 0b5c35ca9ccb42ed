// Likeness as the core reckons it, on the axes' ends instead of the library's own spread.

import type { ContributionView, SimilarItem, TrackItem } from '../../../bindings';
import { failure } from '../handlers';
import { DIMENSIONS } from './dimensions';

const scaled = (item: TrackItem, at: number): number | null => {
  const value = item.features[at];
  const dimension = DIMENSIONS[at];
  return value == null || !dimension ? null : (value - dimension.low) / (dimension.high - dimension.low);
};

export function alike(asked: TrackItem, items: readonly TrackItem[], weights: Record<string, number>, count: number): SimilarItem[] {
  const weight = DIMENSIONS.map((each) => weights[each.name] ?? each.weight);
  const sum = weight.reduce((total, each) => total + each, 0);
  if (sum === 0) throw failure('invalid', 'weights: got all 0, allowed is at least one above 0');
  return items
    .filter((item) => item.id !== asked.id && item.state === 'done')
    .map((item) => answer(asked, item, weight, sum))
    .sort((a, b) => b.score - a.score || a.track.id - b.track.id)
    .slice(0, count);
}

function answer(asked: TrackItem, item: TrackItem, weight: number[], sum: number): SimilarItem {
  let distance = 0;
  const parts: ContributionView[] = [];
  DIMENSIONS.forEach(({ name }, at) => {
    const [one, other] = [scaled(asked, at), scaled(item, at)];
    const share = one === null || other === null ? 0.09 * (weight[at] ?? 0) : (weight[at] ?? 0) * (one - other) ** 2;
    distance += share;
    if ((weight[at] ?? 0) > 0) parts.push({ dimension: name, asked: asked.features[at] ?? null, found: item.features[at] ?? null, share });
  });
  for (const part of parts) part.share = distance > 0 ? part.share / distance : 0;
  parts.sort((a, b) => b.share - a.share);
  return { track: item, score: 1 - Math.min(1, Math.sqrt(distance / sum)), contributions: parts };
}
