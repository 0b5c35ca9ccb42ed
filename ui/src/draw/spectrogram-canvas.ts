// Spectrograms drawn by the processor: codes into a plane, colours from a table, one image.
//
// Unchanged parts are kept, or moved with a scrolling view; the rest is redrawn.

import { area, around, damage, drawn, overlap, type Box, type Drawn } from './spectrogram-damage';
import { clipped, differencePlace, resolve, shows, UNKNOWN, type Picture } from './spectrogram-picture';
import type { SpectrogramRenderer } from './spectrogram-renderer';

const SIDES = ['original', 'processed'] as const;
type BySide<T> = Record<(typeof SIDES)[number], T>;

/** The share of the picture above which drawing separate boxes costs more than redrawing everything. */
const MAX_APART = 0.7;

export class CanvasRenderer implements SpectrogramRenderer {
  readonly kind = 'canvas';
  moved = false;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private readonly planes: BySide<Uint16Array> = { original: new Uint16Array(0), processed: new Uint16Array(0) };
  private last: { picture: Picture; drawn: BySide<Drawn[]> } | null = null;
  /** Whether the image was moved since it was last drawn whole. */
  private shifted = false;

  constructor(private readonly context: CanvasRenderingContext2D) {}

  draw(picture: Picture, whole = false): void {
    const { width, height } = picture;
    const { canvas } = this.context;
    const all: Box = { x0: 0, x1: width, y0: 0, y1: height };
    if (canvas.width !== width || canvas.height !== height || !this.image) {
      canvas.width = width;
      canvas.height = height;
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      for (const side of SIDES) this.planes[side] = new Uint16Array(width * height);
      this.last = null;
    }
    const before = this.last;
    const by = whole ? null : this.shift(picture);
    let boxes = [all];
    if (by !== null && before) {
      const shown = SIDES.filter((side) => shows(picture, side));
      boxes = shown.flatMap((side) => damage(before.drawn[side], picture[side], by, width, height));
      if (area(boxes) > MAX_APART * width * height) boxes = [all];
      if (boxes[0] !== all) for (const side of shown) move(this.planes[side], by);
    }
    const apart = boxes[0] !== all;
    for (const side of SIDES) {
      if (shows(picture, side)) for (const box of boxes) fill(this.planes[side], picture, side, box);
    }
    // Colours scroll with the codes unless the sides meet at a fixed divider.
    const meet = !picture.regions.every((region) => region.x === 0 && region.width === width);
    const recoloured = before?.picture.tables !== picture.tables || !sameRegions(before.picture, picture) || (meet && by !== 0);
    if (apart && !recoloured) move(this.pixels, by ?? 0);
    for (const box of recoloured ? [all] : boxes) this.colour(picture, box);
    const changed = recoloured || by !== 0 ? all : around(boxes);
    if (changed) this.context.putImageData(this.image, 0, 0, changed.x0, changed.y0, changed.x1 - changed.x0, changed.y1 - changed.y0);
    this.shifted = apart && (this.shifted || by !== 0);
    this.moved = this.shifted;
    this.last = { picture, drawn: { original: drawn(picture.original), processed: drawn(picture.processed) } };
  }

  dispose(): void {
    this.image = null;
    this.last = null;
    this.pixels = new Uint32Array(0);
    for (const side of SIDES) this.planes[side] = new Uint16Array(0);
  }

  /** The number of pixels the last picture has moved to the left; null if it was a different one. */
  private shift(picture: Picture): number | null {
    const last = this.last?.picture;
    if (!last || last.form !== picture.form) return null;
    // A moved divider may have revealed the other side.
    if (SIDES.some((side) => shows(picture, side) && !shows(last, side))) return null;
    const by = picture.pixel - last.pixel;
    return Math.abs(by) < picture.width ? by : null;
  }

  private colour(picture: Picture, box: Box): void {
    const { pixels } = this;
    const { original, processed } = this.planes;
    const { width, tables } = picture;
    // Copies the four bytes of a colour at once; table and image have the same byte order.
    const levels = new Uint32Array(tables.levels.buffer);
    const differences = new Uint32Array(tables.differences.buffer);
    for (let y = box.y0; y < box.y1; y++) pixels.fill(0, y * width + box.x0, y * width + box.x1);
    for (const region of picture.regions) {
      const part = overlap({ x0: region.x, x1: region.x + region.width, y0: region.y, y1: region.y + region.height }, box);
      if (!part) continue;
      const plane = region.show === 'processed' ? processed : original;
      for (let y = part.y0; y < part.y1; y++) {
        const end = y * width + part.x1;
        if (region.show === 'difference') {
          for (let at = y * width + part.x0; at < end; at++) {
            const a = original[at] as number;
            const b = processed[at] as number;
            if (a !== UNKNOWN && b !== UNKNOWN) pixels[at] = differences[differencePlace(a, b, tables.floorCode)] as number;
          }
        } else for (let at = y * width + part.x0; at < end; at++) pixels[at] = levels[plane[at] as number] as number;
      }
    }
  }
}

const sameRegions = (a: Picture, b: Picture): boolean => JSON.stringify(a.regions) === JSON.stringify(b.regions);

/** Moves every row to the left; the strip left at the edge must be redrawn. */
function move(plane: Uint16Array | Uint32Array, by: number): void {
  if (by > 0) plane.copyWithin(0, by);
  else if (by < 0) plane.copyWithin(-by, 0);
}

/** Redraws a box of one side. */
function fill(plane: Uint16Array, picture: Picture, side: (typeof SIDES)[number], box: Box): void {
  const { width, height } = picture;
  if (box.x1 - box.x0 === width && box.y1 - box.y0 === height) plane.fill(UNKNOWN);
  else for (let y = box.y0; y < box.y1; y++) plane.fill(UNKNOWN, y * width + box.x0, y * width + box.x1);
  for (const patch of picture[side]) {
    const part = clipped(patch, box);
    if (part) resolve(plane, width, part);
  }
}
