// A column of an image as runs of one colour from top to bottom, composited like rectangles on a canvas.

import { over } from './ink';

export class ColumnRuns {
  count = 1;
  /** The first row of each run; a run ends where the next one begins. */
  readonly starts: Int32Array;
  readonly inks: Uint32Array;

  constructor(private readonly height: number) {
    // A run is at least one row; one more is needed while a column is split.
    this.starts = new Int32Array(height + 1);
    this.inks = new Uint32Array(height + 1);
  }

  clear(): void {
    this.count = 1;
    this.starts[0] = 0;
    this.inks[0] = 0;
  }

  /** Fills part of the column as `fillRect` does: a partly covered pixel gets less ink. `share` is the width. */
  fill(upper: number, lower: number, ink: number, share = 1): void {
    const top = Math.max(0, upper);
    const bottom = Math.min(this.height, lower);
    if (!(bottom > top)) return;
    const first = Math.ceil(top);
    const last = Math.floor(bottom);
    if (first > last) {
      this.lay(last, first, ink, share * (bottom - top));
      return;
    }
    if (top < first) this.lay(first - 1, first, ink, share * (first - top));
    if (first < last) this.lay(first, last, ink, share);
    if (last < bottom) this.lay(last, last + 1, ink, share * (bottom - last));
  }

  private lay(from: number, to: number, ink: number, share: number): void {
    const { inks } = this;
    const end = this.split(to, this.count);
    // A split above moves all runs below down by one.
    const before = this.count;
    const begin = this.split(from, end);
    const stop = end + this.count - before;
    for (let run = begin; run < stop; run++) inks[run] = over(inks[run] as number, ink, share);
  }

  /** Returns the run that begins at a row, splitting one if needed; searches upwards from a run. */
  private split(row: number, below: number): number {
    if (row >= this.height) return this.count;
    const { starts, inks } = this;
    let run = Math.min(below, this.count - 1);
    while ((starts[run] as number) > row) run--;
    if (starts[run] === row) return run;
    // There are only a few: a call of copyWithin takes longer.
    for (let at = this.count; at > run + 1; at--) {
      starts[at] = starts[at - 1] as number;
      inks[at] = inks[at - 1] as number;
    }
    starts[run + 1] = row;
    inks[run + 1] = inks[run] as number;
    this.count++;
    return run + 1;
  }
}
