// The recording so far, from the peaks of the reports: the whole of it, whatever its length.

/** The peaks of the channels since the report before, and the length that was reached with them. */
export interface RecordedPeaks {
  until_s: number;
  peaks: number[];
}

/** The time that is seen at least: a recording grows in it, until it fills it. */
const LEAST_S = 20;

/** The time that the picture spans: twice that of the last one whenever it is full, so that it seldom shrinks. */
export function spanOf(recorded_s: number): number {
  let span = LEAST_S;
  while (span < recorded_s) span *= 2;
  return span;
}

/** The highest peak of a channel in each column; null where nothing was recorded yet. */
export function columnsOf(reports: readonly RecordedPeaks[], channel: number, columns: number, span_s: number): (number | null)[] {
  const found: (number | null)[] = new Array<number | null>(columns).fill(null);
  let from = 0;
  for (const { until_s, peaks } of reports) {
    const to = Math.min(columns, Math.max(from + 1, Math.ceil((until_s / span_s) * columns)));
    const peak = peaks[channel] ?? 0;
    // A report that ends in a column that an earlier one has begun belongs to it.
    for (let column = Math.min(from, columns - 1); column < to; column++) found[column] = Math.max(found[column] ?? 0, peak);
    from = Math.max(from, Math.floor((until_s / span_s) * columns));
  }
  return found;
}
