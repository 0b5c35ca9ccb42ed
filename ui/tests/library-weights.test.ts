import { describe, expect, it } from 'vitest';
import type { ContributionView, DimensionView, SimilarItem } from '../src/bindings';
import { allReasons, formatPair, formatScore, mainReasons } from '../src/pages/library/lib/contributions';
import { countsNothing, factorOf, groupFactor, grouped, isStandard, MOST, shares, weightOf, withFactor, withGroupFactor, type Weights } from '../src/pages/library/lib/weights';
import { DIMENSIONS, recorded, TRACK } from './recorded';

const byName = new Map(DIMENSIONS.map((each) => [each.name, each]));
const dimension = (name: string): DimensionView => {
  const found = byName.get(name);
  if (!found) throw new Error(name);
  return found;
};

describe('weights in groups', () => {
  const groups = grouped(DIMENSIONS);

  it('hold every dimension once', () => {
    const names = groups.flatMap((group) => group.dimensions.map((each) => each.name));
    expect(names.sort()).toEqual(DIMENSIONS.map((each) => each.name).sort());
    expect(groups.map((group) => group.name)).toEqual(['spectrum', 'level', 'rhythm', 'timbre', 'harmony', 'dynamics', 'stereo']);
  });

  it('leave none out that is new', () => {
    const more = grouped([...DIMENSIONS, { ...dimension('flatness'), name: 'roughness' }]);
    expect(more.at(-1)).toMatchObject({ name: 'other', dimensions: [{ name: 'roughness' }] });
  });

  it('keep only what differs from the standard', () => {
    const tempo = dimension('tempo_bpm');
    const raised = withFactor({}, tempo, 2);
    expect(raised).toEqual({ tempo_bpm: 0.16 });
    expect(isStandard(withFactor(raised, tempo, 1))).toBe(true);
    expect(factorOf(withFactor({}, tempo, 99), tempo)).toBe(MOST);
    expect(weightOf(withFactor({}, tempo, -1), tempo)).toBe(0);
  });

  it('are scaled as a whole with their proportions, and come back from nothing', () => {
    for (const group of groups) {
      const first = group.dimensions[0];
      if (!first) throw new Error(group.name);
      expect(groupFactor({}, group)).toBeCloseTo(1, 9);
      const uneven = withFactor({}, first, 1.6);
      const before = group.dimensions.map((each) => weightOf(uneven, each));
      const half = withGroupFactor(uneven, group, groupFactor(uneven, group) / 2);
      group.dimensions.forEach((each, at) => expect(weightOf(half, each)).toBeCloseTo((before[at] ?? 0) / 2, 5));
      const nothing = withGroupFactor(uneven, group, 0);
      expect(groupFactor(nothing, group)).toBe(0);
      expect(withGroupFactor(nothing, group, 1)).toEqual({});
      // Nothing of another group has moved.
      for (const other of groups) if (other !== group) expect(groupFactor(half, other)).toBeCloseTo(1, 9);
    }
  });

  it('have shares that sum to one, and none when nothing counts', () => {
    const sum = (weights: Weights) => [...shares(weights, DIMENSIONS).values()].reduce((total, each) => total + each, 0);
    expect(sum({})).toBeCloseTo(1, 9);
    expect(sum({ tempo_bpm: 3 })).toBeCloseTo(1, 9);
    const nothing = groups.reduce<Weights>((weights, group) => withGroupFactor(weights, group, 0), {});
    expect(countsNothing(nothing, DIMENSIONS)).toBe(true);
    expect(countsNothing({}, DIMENSIONS)).toBe(false);
    expect(sum(nothing)).toBe(0);
  });
});

describe('reasons', () => {
  const made = (contributions: ContributionView[]): SimilarItem => ({ track: TRACK, score: 0.8, contributions });

  it('are words and figures, the found before the asked', () => {
    expect(formatPair(121, 119, dimension('tempo_bpm'))).toBe('121.0 / 119.0 BPM');
    expect(formatPair(3120, 2440, dimension('centroid_hz'))).toBe('3.1 / 2.4 kHz');
    expect(formatPair(980, 2440, dimension('centroid_hz'))).toBe('980 Hz / 2.4 kHz');
    expect(formatPair(0.421, 0.4, dimension('band_bass'))).toBe('42.1 / 40.0 %');
    expect(formatPair(-9.24, -14, dimension('loudness_lufs'))).toBe('−9.2 / −14.0 LUFS');
    expect(formatPair(null, 119, dimension('tempo_bpm'))).toBe('— / 119.0 BPM');
  });

  it('say which way a track differs, and plainly what reads the same', () => {
    const item = made([
      { dimension: 'centroid_hz', asked: 2440, found: 3120, share: 0.6 },
      { dimension: 'loudness_lufs', asked: -9, found: -14, share: 0.3 },
      { dimension: 'tempo_bpm', asked: 120.01, found: 120.02, share: 0 },
    ]);
    const { differs, agrees } = mainReasons(item, byName, shares({}, DIMENSIONS));
    expect(differs.map((each) => each.word)).toEqual(['brighter', 'quieter']);
    expect(agrees.map((each) => each.word)).toEqual(['tempo']);
    expect(allReasons(item, byName).map((each) => each.word)).toEqual(['brighter', 'quieter', 'tempo']);
  });

  it('explain nothing by what is not known or does not count', () => {
    const item = made([
      { dimension: 'tempo_bpm', asked: null, found: 120, share: 0.7 },
      { dimension: 'unheard_of', asked: 1, found: 2, share: 0.2 },
      { dimension: 'flatness', asked: 0.1, found: 0.1, share: 0 },
    ]);
    const { differs, agrees } = mainReasons(item, byName, shares({ flatness: 0 }, DIMENSIONS));
    expect(differs).toEqual([]);
    expect(agrees).toEqual([]);
  });

  it('of answers differ where shares are, and agree in something else', async () => {
    const answers = await recorded('library').call('library.similar', { like: { kind: 'track', track: TRACK.id }, weights: {}, count: 30 });
    expect(answers).toHaveLength(30);
    for (const item of answers) {
      const { differs, agrees } = mainReasons(item, byName, shares({}, DIMENSIONS));
      expect(differs).toHaveLength(2);
      const both = [...differs, ...agrees].map((each) => each.dimension);
      expect(new Set(both).size).toBe(both.length);
      for (const each of agrees) expect(each.share).toBeLessThan(differs[0]?.share ?? 0);
    }
  });

  it('never call 100 % what is not equal', () => {
    expect([formatScore(1), formatScore(0.9999), formatScore(0.5), formatScore(0)]).toEqual(['100 %', '99 %', '50 %', '0 %']);
  });
});
