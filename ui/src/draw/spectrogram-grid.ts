// The grid of spectrogram tiles, and the placement of its cells in a picture.
//
// A cell is 256 columns of 2^level frames by 256 rows of an axis divided into 256 * 2^rowLevel. Both are powers of two,
// so that the same cells serve every scroll position. A picture is made of patches: rectangles of whole pixels with the
// position of their first pixel's centre in a cell, and the step to the next, in 65536ths of a column or row.
// Everything after this point is integer arithmetic, so that every renderer produces the same picture.

import { TILE_SIDE } from '../backend';
import type { FrameRange } from '../bindings';
import type { FrequencyView } from '../lib/frequency-scale';
import { clamp } from '../lib/scale';
import { span } from '../lib/view';
import type { CodeTile } from './spectrogram-tile';

export interface Cell {
  level: number;
  column: number;
  rowLevel: number;
  row: number;
}

/** The view that a picture shows, and its size in pixels. */
export interface Window {
  view: FrameRange;
  axis: FrequencyView;
  width: number;
  height: number;
  /** The factor by which the picture's resolution grows when the view rests; tiles are chosen for that resolution. */
  finer: number;
}

export interface Patch {
  tile: CodeTile;
  /** Pixels from the picture's top left, with exclusive ends. */
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  u0: number;
  du: number;
  v0: number;
  dv: number;
}

/** The finest row level of any transform. */
const MAX_ROW_LEVEL = 10;
const ONE = 65_536;

export interface Cells {
  level: number;
  rowLevel: number;
  firstColumn: number;
  lastColumn: number;
  firstRow: number;
  lastRow: number;
}

/** The cells that a window shows, with columns and rows as close to its pixels as powers of two allow. */
export function cellsOf({ view, axis, width, height, finer }: Window, frames: number): Cells {
  const level = Math.max(0, Math.round(Math.log2(span(view) / (width * finer))));
  const rowLevel = clamp(Math.round(Math.log2((height * finer) / (axis.top - axis.bottom) / TILE_SIDE)), 0, MAX_ROW_LEVEL);
  const wide = TILE_SIDE * 2 ** level;
  const rows = 2 ** rowLevel;
  const last = (value: number) => Math.ceil(value) - 1;
  return {
    level,
    rowLevel,
    firstColumn: Math.max(0, Math.floor(view.start / wide)),
    lastColumn: last(Math.min(view.end, frames) / wide),
    firstRow: Math.floor(axis.bottom * rows),
    lastRow: Math.min(rows - 1, last(axis.top * rows)),
  };
}

/** The pixels whose centres lie in a cell; null if there are none. */
function pixelsOf(cell: Cell, { view, axis, width, height }: Window, frames: number): { x0: number; x1: number; y0: number; y1: number } | null {
  const wide = TILE_SIDE * 2 ** cell.level;
  const perPixel = span(view) / width;
  const x = (frame: number) => clamp(Math.ceil((frame - view.start) / perPixel - 0.5), 0, width);
  const tall = 2 ** cell.rowLevel;
  const share = axis.top - axis.bottom;
  const y = (position: number) => clamp(Math.ceil(((axis.top - position) / share) * height - 0.5), 0, height);
  const box = { x0: x(cell.column * wide), x1: x(Math.min(frames, (cell.column + 1) * wide)), y0: y((cell.row + 1) / tall), y1: y(cell.row / tall) };
  return box.x1 > box.x0 && box.y1 > box.y0 ? box : null;
}

/** The patch of `cell` drawn from the tile at `from`: the cell itself, or a stand-in. */
export function patchOf(cell: Cell, from: Cell, tile: CodeTile, window: Window, frames: number): Patch | null {
  const box = pixelsOf(cell, window, frames);
  const held = from === cell ? box : pixelsOf(from, window, frames);
  if (!box || !held) return null;
  const x0 = Math.max(box.x0, held.x0);
  const x1 = Math.min(box.x1, held.x1);
  const y0 = Math.max(box.y0, held.y0);
  const y1 = Math.min(box.y1, held.y1);
  if (x1 <= x0 || y1 <= y0) return null;
  const { view, axis, width, height } = window;
  const perPixel = span(view) / width;
  const columns = 2 ** from.level;
  const rows = TILE_SIDE * 2 ** from.rowLevel;
  const share = axis.top - axis.bottom;
  // Column and row centres are whole numbers; column and row 0 are the tile's border.
  const u = (view.start + (x0 + 0.5) * perPixel) / columns - from.column * TILE_SIDE + 0.5;
  const v = (axis.top - ((y0 + 0.5) / height) * share) * rows - from.row * TILE_SIDE + 0.5;
  return { tile, x0, x1, y0, y1, u0: Math.round(u * ONE), du: Math.round((perPixel / columns) * ONE), v0: Math.round(v * ONE), dv: -Math.round((share / height) * rows * ONE) };
}

/** The cells of another fineness that cover a cell. */
export function cover(cell: Cell, level: number, rowLevel: number): Cell[] {
  const [firstColumn, columns] = spread(cell.column, level - cell.level);
  const [firstRow, rows] = spread(cell.row, cell.rowLevel - rowLevel);
  const found: Cell[] = [];
  for (let column = firstColumn; column < firstColumn + columns; column++) {
    for (let row = firstRow; row < firstRow + rows; row++) found.push({ level, column, rowLevel, row });
  }
  return found;
}

/** The first index and the number of indices that an index maps to at parts 2^`coarser` times as large. */
function spread(index: number, coarser: number): [number, number] {
  return coarser >= 0 ? [Math.floor(index / 2 ** coarser), 1] : [index * 2 ** -coarser, 2 ** -coarser];
}
