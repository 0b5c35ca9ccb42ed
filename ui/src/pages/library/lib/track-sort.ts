// The order that a click on a column's head sorts by.

import type { SortBy } from '../../../bindings';

/** The order without any of the user's: artist, album, number. */
export const FIRST_OF_STANDARD = 'artist';

/**
 * A click sorts upwards, the next downwards, the third no longer by this column; with `add` it is sorted by this
 * column beneath the others. What has no value comes last either way.
 */
export function sortedBy(sort: SortBy[], column: string, add: boolean): SortBy[] {
  const at = sort.findIndex((each) => each.column === column);
  const before = sort[at];
  const next: SortBy[] = before === undefined ? [{ column, descending: false }] : before.descending ? [] : [{ column, descending: true }];
  if (!add) return sort.length > 1 && before !== undefined ? [before] : next;
  return at === -1 ? [...sort, ...next] : [...sort.slice(0, at), ...next, ...sort.slice(at + 1)];
}

export const ariaSort = (sort: SortBy[], column: string): 'ascending' | 'descending' | 'none' => {
  const found = sort.find((each) => each.column === column);
  return found === undefined ? 'none' : found.descending ? 'descending' : 'ascending';
};
