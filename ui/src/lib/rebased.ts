// Merges settings written elsewhere into a copy that may have been changed here meanwhile.

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const same = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

/** `mine` with the changes of `theirs` since `base`; on a conflict theirs wins. */
export function rebased<T>(mine: T, base: T, theirs: T): T {
  if (same(base, theirs)) return mine;
  if (!isFields(mine) || !isFields(base) || !isFields(theirs)) return theirs;
  const made: Fields = {};
  for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const from = same(base[name], theirs[name]) ? mine : theirs;
    if (name in from) made[name] = rebased(mine[name], base[name], theirs[name]);
  }
  return made as T;
}
