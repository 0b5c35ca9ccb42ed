// Which rows of a long list stand in the document. Rows are of one height, and elements go round: an element that
// leaves at one end comes in at the other.

export const ROW = 28;
/** Rows above and below those seen. */
const OVERSCAN = 8;

export interface Slots {
  /** The first row that stands in the document. */
  first: number;
  /** Element by element the row that it shows. */
  rows: number[];
}

/** Rows of elements for a part of the list. The number of elements changes only with the height. */
export function slots(scrollTop: number, height: number, total: number): Slots {
  const count = Math.min(total, Math.ceil(Math.max(0, height) / ROW) + 1 + 2 * OVERSCAN);
  const first = Math.max(0, Math.min(total - count, Math.floor(scrollTop / ROW) - OVERSCAN));
  const start = first - (first % Math.max(1, count));
  const rows = Array.from({ length: count }, (_, slot) => (start + slot >= first ? start + slot : start + slot + count));
  return { first, rows };
}

/** Where to scroll so that a row is wholly seen: as little as it takes. */
export function scrolledTo(row: number, scrollTop: number, height: number): number {
  if (row * ROW < scrollTop) return row * ROW;
  return Math.max(scrollTop, (row + 1) * ROW - height);
}
