// Draws the points of a map into an image: a hundred thousand discs in a few milliseconds, on any machine.

import { shareOf } from '../../../backend/map';
import type { MapWindow } from '../lib/map-view';
import { MAP_ENTRIES } from '../../../draw/colour-maps';

// Colours are four bytes in a signed 32-bit number, the only kind that keeps the loops below in integer arithmetic, and
// thus fast. For the same reason shares are parts of 128.

export interface Canvas {
  pixels: Int32Array;
  /** In device pixels. */
  width: number;
  height: number;
}

export interface Points {
  x: Float32Array;
  y: Float32Array;
  /** The colour of each, opaque. */
  inks: Int32Array;
  /** 1 for points drawn above all others; null if there are none. */
  above: Uint8Array | null;
  /** The shape of each, as an index into `SHAPES`; null if all are discs. */
  shapes: Uint8Array | null;
  /** The drawing order; null for index order. Drawing neighbours in succession is cache-friendly. */
  order: Int32Array | null;
}

const ALL = 128;
const OPAQUE = 0xff000000 | 0;

/** How much of each pixel a disc covers, in parts of 128, in a square of `2 reach + 1`. */
export interface Stamp {
  reach: number;
  cover: Uint8Array;
}

const FINE = 4;

export const SHAPES = ['disc', 'square', 'diamond', 'triangle', 'ring'] as const;
export type Shape = (typeof SHAPES)[number];

/** The reach of each shape with the area of a disc of radius 1. The legend draws the same shapes. */
export const SHAPE_REACH: Record<Shape, number> = { disc: 1, square: 0.887, diamond: 1.254, triangle: 1.556, ring: 1.15 };
const HOLDS: Record<Shape, (x: number, y: number) => boolean> = {
  disc: (x, y) => x * x + y * y <= 1,
  square: (x, y) => Math.max(Math.abs(x), Math.abs(y)) <= SHAPE_REACH.square,
  diamond: (x, y) => Math.abs(x) + Math.abs(y) <= SHAPE_REACH.diamond,
  // Standing on its base, with the centroid in the middle.
  triangle: (x, y) => y <= SHAPE_REACH.triangle / 2 && Math.abs(x) * Math.sqrt(3) <= y + SHAPE_REACH.triangle,
  ring: (x, y) => x * x + y * y <= SHAPE_REACH.ring ** 2 && x * x + y * y >= 0.3,
};

export const discStamp = (radius: number): Stamp => shapeStamp('disc', radius);

export function shapeStamp(shape: Shape, radius: number): Stamp {
  const reach = Math.max(0, Math.ceil(radius * SHAPE_REACH[shape] - 0.5));
  const holds = HOLDS[shape];
  const side = 2 * reach + 1;
  const cover = new Uint8Array(side * side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      let inside = 0;
      for (let part = 0; part < FINE * FINE; part++) {
        const dx = column - reach + ((part % FINE) + 0.5) / FINE - 0.5;
        const dy = row - reach + (Math.floor(part / FINE) + 0.5) / FINE - 0.5;
        if (holds(dx / radius, dy / radius)) inside++;
      }
      cover[row * side + column] = Math.round((inside * ALL) / (FINE * FINE));
    }
  }
  return { reach, cover };
}

/** Draws the points on a uniform background. `view` and `radius` are in device pixels. */
export function drawPoints(canvas: Canvas, points: Points, view: MapWindow, radius: number, ground: number): void {
  canvas.pixels.fill(ground);
  const stamps = points.shapes === null ? [discStamp(radius)] : SHAPES.map((shape) => shapeStamp(shape, radius));
  drawThose(canvas, points, view, stamps, 0);
  if (points.above !== null) drawThose(canvas, points, view, stamps, 1);
}

function drawThose({ pixels, width, height }: Canvas, { x, y, inks, above, shapes, order }: Points, view: MapWindow, stamps: Stamp[], wanted: 0 | 1): void {
  const [disc] = stamps;
  if (!disc) return;
  const left = width / 2 - view.x * view.side;
  const top = height / 2 - view.y * view.side;
  for (let place = 0; place < inks.length; place++) {
    const point = order === null ? place : (order[place] ?? 0);
    if (above !== null && above[point] !== wanted) continue;
    const { reach, cover } = shapes === null ? disc : (stamps[shapes[point] ?? 0] ?? disc);
    const side = 2 * reach + 1;
    const column = Math.round(left + (x[point] ?? NaN) * view.side - 0.5) - reach;
    const row = Math.round(top + (y[point] ?? NaN) * view.side - 0.5) - reach;
    // Written to reject NaN too.
    if (!(column > -side && column < width && row > -side && row < height)) continue;
    const ink = inks[point] ?? 0;
    const fromColumn = Math.max(0, -column);
    const toColumn = Math.min(side, width - column);
    for (let r = Math.max(0, -row); r < side && row + r < height; r++) {
      let at = (row + r) * width + column + fromColumn;
      for (let c = fromColumn; c < toColumn; c++, at++) {
        const share = cover[r * side + c] ?? 0;
        if (share === ALL) pixels[at] = ink;
        else if (share > 0) pixels[at] = mixed(pixels[at] ?? 0, ink, share);
      }
    }
  }
}

/** Mixes an opaque colour over another, covering `share` of 128: no product exceeds 31 bits. */
export function mixed(below: number, ink: number, share: number): number {
  const rest = ALL - share;
  const outer = ((ink & 0xff00ff) * share + (below & 0xff00ff) * rest) >> 7;
  const green = (((ink >> 8) & 0xff) * share + ((below >> 8) & 0xff) * rest) >> 7;
  return (outer & 0xff00ff) | (green << 8) | OPAQUE;
}

/** The part of a colour table visible on a background: the dark end is lost on black, the bright end on white. */
export interface Slice {
  from: number;
  to: number;
}

/** The colour of a share of 1. */
export function inkOfShare(table: Uint8ClampedArray, { from, to }: Slice, share: number): number {
  const entry = Math.min(MAP_ENTRIES - 1, Math.max(0, Math.round(from + (to - from) * share))) * 4;
  return ((table[entry] ?? 0) | ((table[entry + 1] ?? 0) << 8) | ((table[entry + 2] ?? 0) << 16) | OPAQUE);
}

export interface Inks {
  ground: number;
  /** The colour of points without a value, or of all points when nothing colours them. */
  plain: number;
  /** The colour of points that match the search, when nothing colours them. */
  found: number;
}

/** The remaining colour, of 128, of points that do not match the search. */
const DIMMED = 22;

export function pointInks(count: number, shares: Uint16Array | null, table: Uint8ClampedArray, slice: Slice, inks: Inks, found: Uint8Array | null): Int32Array {
  const made = new Int32Array(count);
  const steps = Int32Array.from({ length: MAP_ENTRIES }, (_, step) => inkOfShare(table, slice, step / (MAP_ENTRIES - 1)));
  for (let point = 0; point < count; point++) {
    const value = shareOf(shares?.[point]);
    const isFound = found === null || found[point] === 1;
    const ink = value === null ? (found !== null && isFound && shares === null ? inks.found : inks.plain) : (steps[Math.min(MAP_ENTRIES - 1, Math.max(0, Math.round(value * (MAP_ENTRIES - 1))))] ?? inks.plain);
    made[point] = isFound ? ink : mixed(inks.ground, ink, DIMMED);
  }
  return made;
}

/** The inks by category; points without a category get the plain one. */
export function categoryInks(of: Uint8Array, colours: readonly number[], ground: number, found: Uint8Array | null): Int32Array {
  return Int32Array.from(of, (category, point) => {
    const ink = colours[category] ?? ground;
    return found === null || found[point] === 1 ? ink : mixed(ground, ink, DIMMED);
  });
}

/** Marks the points marked in both; null stands for all points. */
export function both(one: Uint8Array | null, other: Uint8Array | null): Uint8Array | null {
  if (one === null || other === null) return one ?? other;
  return one.map((flag, at) => flag & (other[at] ?? 0));
}

/** Marks the points of a set. */
export function flagged(count: number, some: ReadonlySet<number> | null): Uint8Array | null {
  if (some === null) return null;
  const flags = new Uint8Array(count);
  for (const point of some) flags[point] = 1;
  return flags;
}
