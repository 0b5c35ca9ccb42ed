// A picture drawn column by column and put on its canvas as one image.
//
// Issuing thousands of rectangles to a canvas takes longer than filling them. A column is a handful of runs of one
// colour, so a row differs from the one above in only a few places: it is copied, and those places are changed.

import type { Surface } from './canvas';
import { ColumnRuns } from './column-runs';

/** Paints a column over its existing runs. */
export type ColumnPainter = (x: number, runs: ColumnRuns) => void;

const NONE = -1;

export class ColumnImage {
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private runs = new ColumnRuns(0);
  /** The first change of each row; each change links to the next in its row. */
  private first = new Int32Array(0);
  private next = new Int32Array(0);
  private columns = new Int32Array(0);
  private inks = new Uint32Array(0);
  private changes = 0;

  /** Replaces what is on the canvas. */
  draw({ context, width, height }: Surface, painters: readonly ColumnPainter[]): void {
    const image = this.sized(context, width, height);
    const { runs } = this;
    this.first.fill(NONE);
    this.changes = 0;
    for (let x = 0; x < width; x++) {
      runs.clear();
      for (const paint of painters) paint(x, runs);
      this.note(x);
    }
    this.write(width, height);
    context.putImageData(image, 0, 0);
  }

  private sized(context: CanvasRenderingContext2D, width: number, height: number): ImageData {
    if (this.image?.width === width && this.image.height === height) return this.image;
    this.image = context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.runs = new ColumnRuns(height);
    this.first = new Int32Array(height);
    return this.image;
  }

  /** Notes where the current column changes colour, starting from transparent above the image. */
  private note(x: number): void {
    const { starts, inks, count } = this.runs;
    if (this.changes + count > this.next.length) this.grow(this.changes + count);
    // Typed arrays in local variables are read several times faster.
    const { first, next, columns, inks: noted } = this;
    let above = 0;
    for (let run = 0; run < count; run++) {
      const ink = inks[run] as number;
      if (ink === above) continue;
      const row = starts[run] as number;
      const change = this.changes++;
      columns[change] = x;
      noted[change] = ink;
      next[change] = first[row] as number;
      first[row] = change;
      above = ink;
    }
  }

  private grow(least: number): void {
    const grown = <T extends Int32Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    const length = Math.max(1024, least, this.next.length * 2);
    this.next = grown(this.next, new Int32Array(length));
    this.columns = grown(this.columns, new Int32Array(length));
    this.inks = grown(this.inks, new Uint32Array(length));
  }

  private write(width: number, height: number): void {
    const { pixels, first, next, columns, inks } = this;
    pixels.fill(0, 0, width);
    for (let y = 0, row = 0; y < height; y++, row += width) {
      if (y > 0) pixels.copyWithin(row, row - width, row);
      for (let change = first[y] as number; change !== NONE; change = next[change] as number) {
        pixels[row + (columns[change] as number)] = inks[change] as number;
      }
    }
  }
}
