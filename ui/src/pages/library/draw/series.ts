// Pictures and curves of a track over its time.

import type { SeriesView } from '../../../bindings';
import { rowsOf } from '../lib/series';
import type { Surface } from '../../../draw/canvas';
import { MAP_ENTRIES } from '../../../draw/colour-maps';

/** The pixels of a picture: a column per moment, the first row at the bottom. Values range from 0 to `top`. */
export function picturePixels(series: SeriesView, table: Uint8ClampedArray, top: number): { pixels: Uint8ClampedArray<ArrayBuffer>; width: number; height: number } {
  const [width, height] = [rowsOf(series), series.width];
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let x = 0; x < width; x++) {
    for (let row = 0; row < height; row++) {
      const value = series.values[x * height + row];
      if (value == null) continue;
      const entry = Math.max(0, Math.min(MAP_ENTRIES - 1, Math.round((value / top) * (MAP_ENTRIES - 1))));
      pixels.set(table.subarray(entry * 4, entry * 4 + 4), ((height - 1 - row) * width + x) * 4);
    }
  }
  return { pixels, width, height };
}

/** The largest value of a picture, so that it uses all colours. */
export function topOf(series: SeriesView): number {
  let top = 0;
  for (const value of series.values) if (value !== null && value > top) top = value;
  return top > 0 ? top : 1;
}

/** Draws a picture over the whole of a canvas; the last moment ends at `share` of its width. */
export function drawPicture(target: Surface, series: SeriesView, table: Uint8ClampedArray, from: number, to: number): void {
  const { context, width, height } = target;
  context.clearRect(0, 0, width, height);
  const picture = picturePixels(series, table, topOf(series));
  if (picture.width === 0) return;
  const canvas = document.createElement('canvas');
  canvas.width = picture.width;
  canvas.height = picture.height;
  const inner = canvas.getContext('2d');
  if (!inner) return;
  inner.putImageData(new ImageData(picture.pixels, picture.width, picture.height), 0, 0);
  // Rows are notes and tempi, whose edges are real: keep them sharp.
  context.imageSmoothingEnabled = false;
  context.drawImage(canvas, from * width, 0, (to - from) * width, height);
}

/** Draws a curve filled to the bottom, and lines at the marks of its axis. */
export function drawCurve(target: Surface, series: SeriesView, range: [number, number], marks: number[], from: number, to: number, ink: { line: string; fill: string; grid: string }): void {
  const { context, width, height, ratio } = target;
  context.clearRect(0, 0, width, height);
  context.fillStyle = ink.grid;
  for (const at of marks) context.fillRect(0, Math.round((1 - at) * (height - 1)), width, Math.max(1, Math.round(ratio)));
  const rows = rowsOf(series);
  const x = (row: number) => (from + ((row + 0.5) / rows) * (to - from)) * width;
  const y = (value: number) => (1 - Math.max(0, Math.min(1, (value - range[0]) / (range[1] - range[0])))) * (height - 1);
  let begun = -1;
  const finish = (end: number) => {
    if (begun === -1) return;
    context.strokeStyle = ink.line;
    context.lineWidth = 1.5 * ratio;
    context.lineJoin = 'round';
    context.stroke();
    context.lineTo(x(end - 1), height);
    context.lineTo(x(begun), height);
    context.globalAlpha = 0.16;
    context.fillStyle = ink.fill;
    context.fill();
    context.globalAlpha = 1;
    begun = -1;
  };
  for (let row = 0; row < rows; row++) {
    const value = series.values[row];
    if (value == null) {
      finish(row);
    } else if (begun === -1) {
      begun = row;
      context.beginPath();
      context.moveTo(x(row), y(value));
    } else context.lineTo(x(row), y(value));
  }
  finish(rows);
}
