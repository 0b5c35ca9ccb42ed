// Which copies are marked to be moved to the bin. Whatever is marked, of every group one copy stays.

import type { DuplicateItem, DuplicatesView } from '../../../bindings';

/** Copies of one recording, the best first. */
export type DuplicateGroup = DuplicatesView['groups'][number];

export type Marks = ReadonlySet<number>;

/** A copy whose file is there: only such a one can stay for the others, and only such a one can be moved. */
export const isThere = (item: DuplicateItem): boolean => item.track.state !== 'vanished';

/** Whether the user decided that it is another recording, or is kept beside the best: no rule marks it. */
const isSettled = (item: DuplicateItem): boolean => item.decision === 'different' || item.decision === 'keep_both';

/** Copies of a group that stay when the marked are gone. */
export const staying = (group: DuplicateGroup, marks: Marks): DuplicateItem[] => group.filter((item) => isThere(item) && !marks.has(item.track.id));

/** Whether a copy may be marked: it is there, and another one stays. One said to be another recording is none to stay for it. */
export function canMark(group: DuplicateGroup, marks: Marks, track: number): boolean {
  const item = group.find((each) => each.track.id === track);
  if (!item || !isThere(item)) return false;
  return staying(group, marks).some((each) => each.track.id !== track && !differs(each, item));
}

/** Decisions are about a copy and the best one. */
const differs = (one: DuplicateItem, other: DuplicateItem): boolean => one.decision === 'different' || other.decision === 'different';

/** Marks as many of these as may be, in their order. */
export function marked(group: DuplicateGroup, marks: Marks, tracks: Iterable<number>): Marks {
  const next = new Set(marks);
  for (const track of tracks) if (canMark(group, next, track)) next.add(track);
  return next;
}

export function toggled(group: DuplicateGroup, marks: Marks, track: number): Marks {
  if (!marks.has(track)) return marked(group, marks, [track]);
  const next = new Set(marks);
  next.delete(track);
  return next;
}

/** Keeps the best, marks the rest. */
export function restMarked(group: DuplicateGroup, marks: Marks): Marks {
  const best = bestOf(group);
  const free = new Set(marks);
  if (best) free.delete(best.track.id);
  return marked(
    group,
    free,
    group.filter((item) => item !== best && !isSettled(item)).map((item) => item.track.id),
  );
}

export function cleared(group: DuplicateGroup, marks: Marks): Marks {
  const next = new Set(marks);
  for (const item of group) next.delete(item.track.id);
  return next;
}

/** The copy to keep: the best whose file is there. */
export const bestOf = (group: DuplicateGroup): DuplicateItem | null => group.find((item) => item.best && isThere(item)) ?? group.find(isThere) ?? null;

/** A rule that marks copies in all groups. */
export type Rule = { kind: 'exact' } | { kind: 'score'; least: number };

/** Marks in all groups what a rule says: never the best, nor what the user has settled. */
export function ruleMarked(groups: readonly DuplicateGroup[], marks: Marks, rule: Rule): Marks {
  let next = marks;
  for (const group of groups) {
    const best = bestOf(group);
    const chosen = rule.kind === 'exact' ? exactRest(group, best) : group.filter((item) => item !== best && item.score >= rule.least);
    const tracks = chosen.filter((item) => !isSettled(item)).map((item) => item.track.id);
    if (tracks.length === 0) continue;
    const free = new Set(next);
    if (best) free.delete(best.track.id);
    next = marked(group, free, tracks);
  }
  return next;
}

/**
 * Of copies that are equal to the last bit, all but one. A group may hold two such sets, as two equal FLACs and two equal
 * MP3s: equal audio has equal encoding and length, by which they are told apart.
 */
function exactRest(group: DuplicateGroup, best: DuplicateItem | null): DuplicateItem[] {
  const kept = new Set<string>();
  const rest: DuplicateItem[] = [];
  const first = [...group].sort((x, y) => Number(y === best) - Number(x === best));
  for (const item of first) {
    if (!item.exact || !isThere(item)) continue;
    const { codec, rate_hz, channels, bits, duration_s } = item.track;
    const encoding = [codec, rate_hz, channels, bits, duration_s?.toFixed(2)].join();
    if (kept.has(encoding)) rest.push(item);
    else kept.add(encoding);
  }
  return rest;
}

/** Marks that still hold when the groups are new: those of copies that are there, and of no group all. */
export function stillMarked(groups: readonly DuplicateGroup[], marks: Marks): Marks {
  let next: Marks = new Set();
  for (const group of groups) next = marked(group, next, group.filter((item) => marks.has(item.track.id)).map((item) => item.track.id));
  return next;
}

export interface MarkedSum {
  count: number;
  bytes: number;
  groups: number;
}

export function sumOf(groups: readonly DuplicateGroup[], marks: Marks): MarkedSum {
  const sum = { count: 0, bytes: 0, groups: 0 };
  for (const group of groups) {
    const copies = group.filter((item) => marks.has(item.track.id));
    sum.count += copies.length;
    sum.bytes += copies.reduce((bytes, item) => bytes + item.track.bytes, 0);
    if (copies.length > 0) sum.groups++;
  }
  return sum;
}

/** The groups with copies that are marked, each with what goes and what stays. */
export function planOf(groups: readonly DuplicateGroup[], marks: Marks): { group: DuplicateGroup; go: DuplicateItem[]; stay: DuplicateItem[] }[] {
  return groups
    .map((group) => ({ group, go: group.filter((item) => marks.has(item.track.id)), stay: staying(group, marks).filter((item) => item.decision !== 'different') }))
    .filter(({ go }) => go.length > 0);
}

/** The result without tracks that are gone; a group of one is none. */
export function without(found: DuplicatesView, gone: ReadonlySet<number>): DuplicatesView {
  const groups: DuplicateGroup[] = [];
  for (const group of found.groups) {
    const members = group.filter((item) => !gone.has(item.track.id));
    if (members.length < 2) continue;
    groups.push(members.length === group.length ? group : regrouped(members));
  }
  return { ...found, groups };
}

function regrouped(members: DuplicateItem[]): DuplicateGroup {
  const best = members.find((item) => item.best) ?? members[0];
  return best ? [{ ...best, best: true }, ...members.filter((item) => item !== best)] : members;
}

/** The size of all copies but the best. */
export const spareBytes = (group: DuplicateGroup): number => group.slice(1).reduce((bytes, item) => bytes + item.track.bytes, 0);
