// Virtualises the rows of a long list. Rows have equal heights, and elements are recycled: one that leaves at one end
// enters at the other.

/** The height of a row of the library's table. */
export const ROW = 28;
/** Rows above and below those seen. */
const OVERSCAN = 8;

export interface Slots {
  /** The first row in the document. */
  first: number;
  /** The row that each element shows. */
  rows: number[];
}

/** Rows of elements for a part of the list. The number of elements changes only with the height. */
export function slots(scrollTop: number, height: number, total: number, row = ROW): Slots {
  const count = Math.min(total, Math.ceil(Math.max(0, height) / row) + 1 + 2 * OVERSCAN);
  const first = Math.max(0, Math.min(total - count, Math.floor(scrollTop / row) - OVERSCAN));
  const start = first - (first % Math.max(1, count));
  const rows = Array.from({ length: count }, (_, slot) => (start + slot >= first ? start + slot : start + slot + count));
  return { first, rows };
}

/** The nearest scroll position at which a row is fully visible. */
export function scrolledTo(index: number, scrollTop: number, height: number, row = ROW): number {
  if (index * row < scrollTop) return index * row;
  return Math.max(scrollTop, (index + 1) * row - height);
}
