// Settings that somebody else wrote, taken into a copy that may have been changed here meanwhile.

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const same = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

/** `mine` with all that `theirs` has otherwise than `base`; what was changed here alone is kept, of both theirs counts. */
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
