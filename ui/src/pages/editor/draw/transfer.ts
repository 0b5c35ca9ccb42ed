// The plot of a static curve: input level from left to right, output level from bottom to top, on the same dB scale.

/** The levels at the plot's edges. */
export const LOW_DB = -80;
export const HIGH_DB = 6;

const share = (db: number): number => (Math.min(HIGH_DB, Math.max(LOW_DB, db)) - LOW_DB) / (HIGH_DB - LOW_DB);

export const placeX = (db: number, size: number): number => share(db) * size;
export const placeY = (db: number, size: number): number => (1 - share(db)) * size;

/** Returns an SVG path through `[in, out]` pairs, clamped to the plot's edges. */
export function transferPath(curve: readonly (readonly [number, number])[], size: number): string {
  return curve.map(([input, output], at) => `${at === 0 ? 'M' : 'L'}${placeX(input, size).toFixed(2)} ${placeY(output, size).toFixed(2)}`).join('');
}

/** The output level for an input level, at the nearest point. */
export function levelOut(curve: readonly (readonly [number, number])[], input: number): number | null {
  let found: readonly [number, number] | null = null;
  for (const point of curve) if (!found || Math.abs(point[0] - input) < Math.abs(found[0] - input)) found = point;
  return found?.[1] ?? null;
}
