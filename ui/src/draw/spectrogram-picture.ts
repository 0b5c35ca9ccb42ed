// The arithmetic of spectrogram pictures, shared by all renderers: interpolation of a tile's codes, and their colours.
//
// All of it is integer arithmetic, so that renderers do not differ in rounding: positions in 65536ths, whose upper 8
// fraction bits are the weight; levels as 16-bit codes; colours from a table with an entry for every code.

import { codeFromDb, dbFromCode } from '../backend';
import { colourTable, MAP_ENTRIES } from './colour-maps';
import { overlap, type Box } from './spectrogram-damage';
import type { Patch } from './spectrogram-grid';
import { TILE_STRIDE } from './spectrogram-tile';
import type { SpectrogramDisplay } from '../bindings';

export const CODES = 65_536;
/** The code of unknown levels, drawn transparent. */
export const UNKNOWN = 65_535;
/** The last column or row with a neighbour; the limit of positions in a tile. */
export const LAST_CELL = TILE_STRIDE - 2;
/** The index of a zero difference in its table. */
export const NO_DIFFERENCE = 32_768;
/** The number of codes (25 dB) above the floor from which a difference shows in full. */
export const FADE_CODES = 5000;
/** The share of the range that a difference's colours span on each side of zero. */
const DIFFERENCE_SHARE = 1 / 4;

export const differenceSpanDb = (rangeDb: number): number => rangeDb * DIFFERENCE_SHARE;

/** A rectangle of a picture and its content. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
  show: 'original' | 'processed' | 'difference';
}

export interface Picture {
  width: number;
  height: number;
  original: Patch[];
  processed: Patch[];
  regions: Region[];
  tables: ColourTables;
  /** Pictures of equal form differ only in tiles and by whole pixels sideways; `pixel` is the first one's position. */
  form: string;
  pixel: number;
}

/** Whether a picture shows a side, alone or in a difference; if not, remains of earlier pictures must not be used. */
export const shows = ({ regions }: Picture, side: 'original' | 'processed'): boolean => regions.some(({ show }) => show === side || show === 'difference');

export interface ColourTables {
  /** A colour for every code: red, green, blue, alpha. */
  levels: Uint8ClampedArray;
  /** A colour for every difference, processed minus original, from -32768. */
  differences: Uint8ClampedArray;
  /** The code below which, on both sides, no difference is shown. */
  floorCode: number;
}

function put(into: Uint8ClampedArray, at: number, from: Uint8ClampedArray, entry: number): void {
  into.set(from.subarray(entry * 4, entry * 4 + 4), at * 4);
}

/** Applies gain and range by lookup: the level at the bright end is -gain, at the dark end -gain - range. */
export function colourTables({ colours, gain_db, range_db }: Pick<SpectrogramDisplay, 'colours' | 'gain_db' | 'range_db'>): ColourTables {
  const levels = new Uint8ClampedArray(CODES * 4);
  const map = colourTable(colours);
  for (let code = 0; code < UNKNOWN; code++) put(levels, code, map, mapEntry((dbFromCode(code) + gain_db) / range_db + 1));
  const differences = new Uint8ClampedArray(CODES * 4);
  const diverging = colourTable('difference');
  const spanDb = differenceSpanDb(range_db);
  const perDb = codeFromDb(1) - codeFromDb(0);
  for (let place = 0; place < CODES; place++) put(differences, place, diverging, mapEntry(((place - NO_DIFFERENCE) / perDb / spanDb + 1) / 2));
  return { levels, differences, floorCode: codeFromDb(-gain_db - range_db) };
}

/** The nearest of 256 entries. */
const mapEntry = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * (MAP_ENTRIES - 1));

// The columns of a patch's pixels, and the weight of the next column for each; grown with the window.
let columns = new Int32Array(0);
let shares = new Int32Array(0);

/**
 * Writes the codes of a patch by bilinear interpolation. First between rows, once per column of the tile however many
 * pixels it spans, then between columns: with integers the order does not matter.
 */
export function resolve(plane: Uint16Array, width: number, patch: Patch): void {
  const { codes } = patch.tile;
  const count = patch.x1 - patch.x0;
  if (columns.length < count) {
    columns = new Int32Array(count);
    shares = new Int32Array(count);
  }
  // Typed arrays in local variables are read several times faster.
  const [column, share] = [columns, shares];
  for (let i = 0, u = patch.u0; i < count; i++, u += patch.du) {
    column[i] = Math.min(LAST_CELL, Math.max(0, u >> 16));
    share[i] = (u >> 8) & 255;
  }
  for (let y = patch.y0; y < patch.y1; y++) {
    const v = patch.v0 + (y - patch.y0) * patch.dv;
    const lower = Math.min(LAST_CELL, Math.max(0, v >> 16)) * TILE_STRIDE;
    const upper = lower + TILE_STRIDE;
    const up = (v >> 8) & 255;
    const to = y * width + patch.x0;
    let held = -1;
    let left = 0;
    let right = 0;
    for (let i = 0; i < count; i++) {
      const at = column[i] as number;
      if (at !== held) {
        const a = codes[lower + at] as number;
        const b = codes[lower + at + 1] as number;
        left = (a << 8) + Math.imul((codes[upper + at] as number) - a, up);
        right = (b << 8) + Math.imul((codes[upper + at + 1] as number) - b, up);
        held = at;
      }
      // May exceed a signed 32-bit number, up to 2^32: wrapping is harmless, since the shift is unsigned.
      plane[to + i] = ((left << 8) + Math.imul(right - left, share[i] as number) + 32_768) >>> 16;
    }
  }
}

/** The part of a patch inside a box; null if there is none. */
export function clipped(patch: Patch, box: Box): Patch | null {
  const part = overlap(patch, box);
  return part && { ...patch, ...part, u0: patch.u0 + (part.x0 - patch.x0) * patch.du, v0: patch.v0 + (part.y0 - patch.y0) * patch.dv };
}

/** The table index of a difference, which fades out towards the floor, where it would be noise. */
export function differencePlace(original: number, processed: number, floorCode: number): number {
  const above = Math.min(FADE_CODES, Math.max(0, Math.max(original, processed) - floorCode));
  const difference = Math.trunc(((processed - original) * above) / FADE_CODES);
  return Math.min(CODES - 1, Math.max(0, difference + NO_DIFFERENCE));
}
