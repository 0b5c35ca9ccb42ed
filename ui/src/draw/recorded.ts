// The whole recording so far, from the peaks of the reports, whatever its length.

/** The peaks of the channels since the previous report, and the length recorded by then. */
export interface RecordedPeaks {
  until_s: number;
  peaks: number[];
}

/** The shortest visible time span, which a recording fills as it grows. */
const LEAST_S = 20;

/** The time span of the picture: doubled whenever it is full, so that the recording seldom shrinks on screen. */
export function spanOf(recorded_s: number): number {
  let span = LEAST_S;
  while (span < recorded_s) span *= 2;
  return span;
}

/** The highest peak of a channel in each column; null where nothing is recorded yet. */
export function columnsOf(reports: readonly RecordedPeaks[], channel: number, columns: number, span_s: number): (number | null)[] {
  const found: (number | null)[] = new Array<number | null>(columns).fill(null);
  let from = 0;
  for (const { until_s, peaks } of reports) {
    const to = Math.min(columns, Math.max(from + 1, Math.ceil((until_s / span_s) * columns)));
    const peak = peaks[channel] ?? 0;
    // A report that ends in a column already begun counts in that column.
    for (let column = Math.min(from, columns - 1); column < to; column++) found[column] = Math.max(found[column] ?? 0, peak);
    from = Math.max(from, Math.floor((until_s / span_s) * columns));
  }
  return found;
}
