// Rows of different heights below each other, of which only those in sight are made.

export interface Stack {
  /** Where each row begins, and behind the last one where all end. */
  tops: Float64Array;
}

export function stacked(heights: Iterable<number>, count: number): Stack {
  const tops = new Float64Array(count + 1);
  let at = 0;
  for (const height of heights) {
    if (at >= count) break;
    tops[at + 1] = (tops[at] ?? 0) + height;
    at++;
  }
  return { tops };
}

export const heightOf = ({ tops }: Stack): number => tops[tops.length - 1] ?? 0;

/** The row at a height; the first or the last beyond the ends. */
export function rowAt({ tops }: Stack, y: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Rows that are seen, from one up to another, with a few beyond. */
export function seen(stack: Stack, top: number, height: number, beyond = 4): { from: number; to: number } {
  const count = stack.tops.length - 1;
  if (count <= 0) return { from: 0, to: 0 };
  return { from: Math.max(0, rowAt(stack, top) - beyond), to: Math.min(count, rowAt(stack, top + height) + 1 + beyond) };
}

/** Where to scroll so that a row is seen, moving as little as may be. */
export function scrolledTo({ tops }: Stack, row: number, top: number, height: number): number {
  const from = tops[row] ?? 0;
  const to = tops[row + 1] ?? from;
  if (from < top) return from;
  return to > top + height ? Math.min(from, to - height) : top;
}
