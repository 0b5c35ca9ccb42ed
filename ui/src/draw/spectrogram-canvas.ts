// Spectrograms drawn by the processor: codes into a plane, colours from a table, one image.
//
// While a picture only scrolls, what is seen already is moved and the strip that comes into sight is drawn.

import type { Patch } from './spectrogram-grid';
import { clipped, differencePlace, resolve, shows, UNKNOWN, type Picture } from './spectrogram-picture';
import type { SpectrogramRenderer } from './spectrogram-renderer';

export class CanvasRenderer implements SpectrogramRenderer {
  readonly kind = 'canvas';
  moved = false;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private original = new Uint16Array(0);
  private processed = new Uint16Array(0);
  private last: Picture | null = null;

  constructor(private readonly context: CanvasRenderingContext2D) {}

  draw(picture: Picture, whole = false): void {
    const { width, height } = picture;
    const { canvas } = this.context;
    if (canvas.width !== width || canvas.height !== height || !this.image) {
      canvas.width = width;
      canvas.height = height;
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.original = new Uint16Array(width * height);
      this.processed = new Uint16Array(width * height);
      this.last = null;
    }
    const by = whole ? null : this.shift(picture);
    const [from, to] = by === null ? [0, width] : by >= 0 ? [width - by, width] : [0, -by];
    for (const side of ['original', 'processed'] as const) {
      if (!shows(picture, side)) continue;
      if (by !== null) move(this[side], by);
      fillStrip(this[side], width, height, picture[side], from, to);
    }
    // Colours scroll with the codes unless sides meet at a place that stays.
    const scrolls = by !== null && picture.regions.every((region) => region.x === 0 && region.width === width) && this.last?.tables === picture.tables;
    if (scrolls) move(this.pixels, by);
    this.colour(picture, scrolls ? from : 0, scrolls ? to : width);
    this.context.putImageData(this.image, 0, 0);
    this.moved = by !== null && by !== 0;
    this.last = picture;
  }

  dispose(): void {
    this.image = null;
    this.last = null;
    this.pixels = new Uint32Array(0);
    this.original = new Uint16Array(0);
    this.processed = new Uint16Array(0);
  }

  /** By how many pixels the picture before has moved to the left; null when it was another one. */
  private shift(picture: Picture): number | null {
    const { last } = this;
    if (!last || last.form !== picture.form || last.content !== picture.content) return null;
    // A divider that moved may have brought the other side into sight.
    if ((['original', 'processed'] as const).some((side) => shows(picture, side) && !shows(last, side))) return null;
    const by = picture.pixel - last.pixel;
    return Math.abs(by) < picture.width ? by : null;
  }

  private colour(picture: Picture, from: number, to: number): void {
    const { pixels, original, processed } = this;
    const { width, height, tables } = picture;
    // Four bytes of a colour at once; their order in memory is the same for table and image.
    const levels = new Uint32Array(tables.levels.buffer);
    const differences = new Uint32Array(tables.differences.buffer);
    for (let y = 0; y < height; y++) pixels.fill(0, y * width + from, y * width + to);
    for (const region of picture.regions) {
      const [x0, x1] = [Math.max(from, region.x), Math.min(to, region.x + region.width)];
      const plane = region.show === 'processed' ? processed : original;
      for (let y = region.y; y < region.y + region.height; y++) {
        const end = y * width + x1;
        if (region.show === 'difference') {
          for (let at = y * width + x0; at < end; at++) {
            const a = original[at] as number;
            const b = processed[at] as number;
            if (a !== UNKNOWN && b !== UNKNOWN) pixels[at] = differences[differencePlace(a, b, tables.floorCode)] as number;
          }
        } else for (let at = y * width + x0; at < end; at++) pixels[at] = levels[plane[at] as number] as number;
      }
    }
  }
}

/** Moves every row to the left; what is left behind at the edge is drawn anew. */
function move(plane: Uint16Array | Uint32Array, by: number): void {
  if (by > 0) plane.copyWithin(0, by);
  else if (by < 0) plane.copyWithin(-by, 0);
}

function fillStrip(plane: Uint16Array, width: number, height: number, patches: Patch[], from: number, to: number): void {
  if (from === 0 && to === width) plane.fill(UNKNOWN);
  else for (let y = 0; y < height; y++) plane.fill(UNKNOWN, y * width + from, y * width + to);
  for (const patch of patches) {
    const part = clipped(patch, from, to);
    if (part) resolve(plane, width, part);
  }
}
