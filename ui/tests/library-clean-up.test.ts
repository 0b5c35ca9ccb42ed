import { describe, expect, it } from 'vitest';
import type { Decision, DuplicateItem, DuplicatesView } from '../src/bindings';
import type { Replay } from '../src/backend/replay';
import { canMark, isThere, marked, planOf, restMarked, ruleMarked, staying, stillMarked, spareBytes, sumOf, toggled, without, type DuplicateGroup, type Marks } from '../src/pages/library/lib/clean-up';
import { App } from '../src/state/app.svelte';
import { recorded, TRACK } from './recorded';

interface Of {
  exact?: boolean;
  score?: number;
  decision?: Decision | null;
  vanished?: boolean;
  codec?: string;
}

const item = (id: number, best: boolean, { exact = false, score = 0.9, decision = null, vanished = false, codec = 'FLAC' }: Of = {}): DuplicateItem => ({
  track: { ...TRACK, id, state: vanished ? 'vanished' : 'done', bytes: 1000 + id, codec, duration_s: 100 },
  score,
  overlap_s: 60,
  offset_s: 0,
  speed: 1,
  exact,
  best,
  reasons: [],
  origin: null,
  decision,
});
const group = (...members: DuplicateItem[]): DuplicateGroup => members;
const ids = (marks: Marks): number[] => [...marks].sort((a, b) => a - b);
const NONE: Marks = new Set();

let seed = 3;
const below = (limit: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return Math.floor((seed / 0x8000_0000) * limit);
};

describe('marks', () => {
  it('keep the best and take the rest, but not what was settled', () => {
    const one = group(item(1, true), item(2, false), item(3, false, { decision: 'keep_both' }), item(4, false, { decision: 'different' }));
    expect(ids(restMarked(one, NONE))).toEqual([2]);
    // Also when the best had been marked by hand before.
    expect(ids(restMarked(one, new Set([1])))).toEqual([2]);
  });

  it('never take the last copy', () => {
    const one = group(item(1, true), item(2, false));
    expect(ids(toggled(one, toggled(one, NONE, 1), 2))).toEqual([1]);
    expect(canMark(one, new Set([1]), 2)).toBe(false);
    expect(ids(toggled(one, new Set([1]), 1))).toEqual([]);
  });

  it('do not count a copy whose file is gone as one that stays', () => {
    const one = group(item(1, true, { vanished: true }), item(2, false));
    expect(canMark(one, NONE, 2)).toBe(false);
    expect(canMark(one, NONE, 1)).toBe(false);
    expect(ids(restMarked(one, NONE))).toEqual([]);
  });

  it('do not count another recording as a copy that stays', () => {
    const one = group(item(1, true), item(2, false, { decision: 'different' }));
    expect(canMark(one, NONE, 1)).toBe(false);
    expect(canMark(one, NONE, 2)).toBe(false);
  });

  it('of exact copies leave one of each encoding', () => {
    const one = group(item(1, true), item(2, false, { exact: true, codec: 'MP3' }), item(3, false, { exact: true, codec: 'MP3' }), item(4, false));
    expect(ids(ruleMarked([one], NONE, { kind: 'exact' }))).toEqual([3]);
    const two = group(item(1, true, { exact: true }), item(2, false, { exact: true }), item(3, false, { exact: true, codec: 'MP3' }), item(4, false, { exact: true, codec: 'MP3' }));
    expect(ids(ruleMarked([two], NONE, { kind: 'exact' }))).toEqual([2, 4]);
  });

  it('by score take what reaches it and never the best', () => {
    const one = group(item(1, true, { score: 1 }), item(2, false, { score: 0.9 }), item(3, false, { score: 0.89 }));
    expect(ids(ruleMarked([one], NONE, { kind: 'score', least: 0.9 }))).toEqual([2]);
    expect(ids(ruleMarked([one], NONE, { kind: 'score', least: 0 }))).toEqual([2, 3]);
  });

  it('leave one copy of every group whatever is done, in any order', () => {
    for (let round = 0; round < 300; round++) {
      const groups: DuplicateGroup[] = [];
      let id = 1;
      for (let n = 0; n < 1 + below(5); n++) {
        const members = Array.from({ length: 2 + below(5) }, (_, at) => item(id++, at === 0, { exact: below(2) === 0, score: below(100) / 100, vanished: below(6) === 0, decision: at > 0 && below(8) === 0 ? 'different' : null, codec: below(2) ? 'MP3' : 'FLAC' }));
        groups.push(members);
      }
      let marks: Marks = NONE;
      for (let step = 0; step < 30; step++) {
        const one = groups[below(groups.length)];
        if (!one) continue;
        const any = one[below(one.length)]?.track.id ?? 0;
        const choice = below(6);
        if (choice === 0) marks = restMarked(one, marks);
        else if (choice === 1) marks = ruleMarked(groups, marks, { kind: 'exact' });
        else if (choice === 2) marks = ruleMarked(groups, marks, { kind: 'score', least: below(100) / 100 });
        else if (choice === 3) marks = marked(one, marks, one.map((each) => each.track.id));
        else marks = toggled(one, marks, any);
        for (const each of groups) {
          const gone = each.filter((member) => marks.has(member.track.id));
          expect(gone.every(isThere)).toBe(true);
          if (gone.length > 0) expect(staying(each, marks).length).toBeGreaterThan(0);
        }
      }
      expect(ids(stillMarked(groups, marks))).toEqual(ids(marks));
    }
  });

  it('are let go of where the new result would lose the last copy', () => {
    const before = group(item(1, true), item(2, false), item(3, false));
    const marks = restMarked(before, NONE);
    const after = group(item(2, true), item(3, false));
    expect(ids(stillMarked([after], marks))).toEqual([2]);
    expect(ids(stillMarked([], marks))).toEqual([]);
  });

  it('sum up to count and bytes, and to what goes and what stays', () => {
    const groups = [group(item(1, true), item(2, false)), group(item(3, true), item(4, false))];
    const marks = ruleMarked([groups[1] as DuplicateGroup], NONE, { kind: 'score', least: 0 });
    expect(sumOf(groups, marks)).toEqual({ count: 1, bytes: 1004, groups: 1 });
    expect(planOf(groups, marks).map(({ go, stay }) => [go.map((each) => each.track.id), stay.map((each) => each.track.id)])).toEqual([[[4], [3]]]);
  });

  it('are of groups that are still groups when tracks are gone', () => {
    const found: DuplicatesView = { groups: [group(item(1, true), item(2, false)), group(item(3, true), item(4, false), item(5, false))], tracks: 5, compared: 4, outdated: false };
    const left = without(found, new Set([2, 3]));
    expect(left.groups.map((each) => each.map((member) => [member.track.id, member.best]))).toEqual([[[4, true], [5, false]]]);
    expect(spareBytes(left.groups[0] ?? [])).toBe(1005);
    expect(without(found, new Set())).toEqual(found);
  });
});

describe('the bin', () => {
  const until = async (held: () => boolean) => {
    for (let i = 0; i < 400 && !held(); i++) await new Promise((done) => setTimeout(done, 10));
    expect(held()).toBe(true);
  };

  async function searched(): Promise<{ app: App; backend: Replay }> {
    const backend = recorded('library');
    const app = new App(backend);
    await app.start();
    await app.library.questions.duplicates.find();
    await until(() => app.library.questions.duplicates.groups.length > 0);
    return { app, backend };
  }

  it('takes what is marked, tells what could not be moved, and gives it back', async () => {
    const { app, backend } = await searched();
    const { duplicates, bin } = app.library.questions;
    const before = duplicates.groups.length;
    duplicates.markBy({ kind: 'score', least: 0 });
    const { count } = duplicates.sum;
    expect(count).toBeGreaterThan(10);
    // Something else was written over one of them.
    const [changed] = [...duplicates.marks];
    const [track] = await backend.call('library.rows', { tracks: [changed ?? 0] });
    await backend.outside({ overwrite: `${track?.folder}/${track?.name}` });
    bin.ask(duplicates.entries);
    expect(bin.phase).toBe('asking');
    expect(bin.going).toHaveLength(count);
    await bin.move();
    expect(bin.phase).toBe('moved');
    const moved = bin.outcome?.moved.length ?? 0;
    expect(bin.outcome?.failures.length).toBeGreaterThan(0);
    expect(moved + (bin.outcome?.failures.length ?? 0)).toBe(count);
    // Groups of which one copy is left are groups no more; what could not be moved is still there, and still marked.
    expect(duplicates.groups.length).toBeLessThan(before);
    expect(duplicates.sum.count).toBe(bin.outcome?.failures.length);
    await bin.restore();
    expect(bin.phase).toBe('restored');
    expect(bin.restored?.moved).toHaveLength(moved);
    expect(duplicates.groups).toHaveLength(before);
  });

  it('asks about nothing when nothing is there to go', async () => {
    const { app } = await searched();
    const { bin, duplicates } = app.library.questions;
    bin.ask(duplicates.entries);
    expect(bin.phase).toBeNull();
  });

  it('stays open and moves nothing when the core refuses', async () => {
    const { app } = await searched();
    const { bin, duplicates } = app.library.questions;
    const call = app.backend.call.bind(app.backend);
    app.backend.call = ((name: 'library.bin', args: never) => (name === 'library.bin' ? Promise.reject({ code: 'io', message: 'no bin here', detail: null, notation: null }) : call(name, args))) as typeof call;
    duplicates.markBy({ kind: 'exact' });
    bin.ask(duplicates.entries);
    await bin.move();
    expect(bin.phase).toBe('asking');
    expect(app.notices.toasts.map((toast) => toast.message)).toContain('no bin here');
    bin.close();
    expect(bin.phase).toBeNull();
    expect(duplicates.sum.count).toBeGreaterThan(0);
  });

  it('is silent about what it takes', async () => {
    const { app } = await searched();
    const { bin, duplicates, audition } = app.library.questions;
    const one = duplicates.groups[0];
    const [best, copy] = one ?? [];
    if (!one || !best || !copy) throw new Error('no group');
    await audition.compareCopies(best.track, copy.track, copy);
    expect(audition.playing).toBe(true);
    duplicates.keepBest(one);
    bin.ask(duplicates.entries);
    await bin.move();
    expect(audition.pair).toBeNull();
    expect(app.player.playing).toBe(false);
  });

  it('remembers a decision and takes it back', async () => {
    const { app } = await searched();
    const { duplicates } = app.library.questions;
    const one = duplicates.groups[0];
    const copy = one?.[1];
    if (!one || !copy) throw new Error('no group');
    duplicates.keepBest(one);
    await duplicates.decide(one, copy, 'different');
    expect(duplicates.groups[0]?.[1]?.decision).toBe('different');
    expect(duplicates.marks.has(copy.track.id)).toBe(false);
    await duplicates.decide(duplicates.groups[0] ?? one, duplicates.groups[0]?.[1] ?? copy, null);
    expect(duplicates.groups[0]?.[1]?.decision).toBeNull();
  });
});
