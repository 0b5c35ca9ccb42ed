// Points of a map, found by place: the nearest one, the next one in a direction, those inside an outline.

import { WHOLE, type Bounds } from './map-view';

export type Direction = 'left' | 'right' | 'up' | 'down';

/** Points lie in a square from 0 to 1; a few of them share a cell. */
const POINTS_PER_CELL = 2;
const MAX_CELLS = 512;

export class PointGrid {
  readonly count: number;
  readonly bounds: Bounds;
  private readonly side: number;
  /** Points cell by cell, and where each cell's begin. */
  readonly order: Int32Array;
  private readonly begins: Int32Array;

  constructor(
    readonly x: Float32Array,
    readonly y: Float32Array,
  ) {
    this.count = Math.min(x.length, y.length);
    this.bounds = boundsOf(x, y);
    this.side = Math.max(1, Math.min(MAX_CELLS, Math.round(Math.sqrt(this.count / POINTS_PER_CELL))));
    this.begins = new Int32Array(this.side * this.side + 1);
    const cells = new Int32Array(this.count);
    for (let point = 0; point < this.count; point++) {
      const cell = this.cellOf(y[point] ?? 0) * this.side + this.cellOf(x[point] ?? 0);
      cells[point] = cell;
      this.begins[cell + 1] = (this.begins[cell + 1] ?? 0) + 1;
    }
    for (let cell = 0; cell < this.side * this.side; cell++) this.begins[cell + 1] = (this.begins[cell + 1] ?? 0) + (this.begins[cell] ?? 0);
    this.order = new Int32Array(this.count);
    const next = this.begins.slice();
    for (let point = 0; point < this.count; point++) {
      const cell = cells[point] ?? 0;
      const at = next[cell] ?? 0;
      this.order[at] = point;
      next[cell] = at + 1;
    }
  }

  private cellOf(place: number): number {
    // A place that is no number lies in the first cell and is nearest to nothing.
    return Math.min(this.side - 1, Math.max(0, Math.floor(place * this.side) || 0));
  }

  /** The point nearest to a place, no farther than `within`; of several the first. -1 for none. */
  nearest(x: number, y: number, within = Infinity): number {
    const column = this.cellOf(x);
    const row = this.cellOf(y);
    let best = -1;
    let least = within * within;
    // How far the place lies outside the square adds to what every ring is away at the least.
    for (let ring = 0; ring < this.side; ring++) {
      // All of a ring lies at least so far from the place: the distance to the edge of the cells inside it.
      const away = this.insideOf(x, y, column, row, ring);
      if (away * away > least) break;
      for (let r = row - ring; r <= row + ring; r++) {
        if (r < 0 || r >= this.side) continue;
        const step = r === row - ring || r === row + ring ? 1 : Math.max(1, 2 * ring);
        for (let c = column - ring; c <= column + ring; c += step) {
          if (c < 0 || c >= this.side) continue;
          const cell = r * this.side + c;
          const end = this.begins[cell + 1] ?? 0;
          for (let at = this.begins[cell] ?? 0; at < end; at++) {
            const point = this.order[at] ?? 0;
            const dx = (this.x[point] ?? NaN) - x;
            const dy = (this.y[point] ?? NaN) - y;
            const far = dx * dx + dy * dy;
            if (far < least || (far === least && (best === -1 || point < best))) {
              best = point;
              least = far;
            }
          }
        }
      }
    }
    return best;
  }

  /** How far the nearest edge of the block of cells is that lies inside a ring; sides at the square's edge do not count. */
  private insideOf(x: number, y: number, column: number, row: number, ring: number): number {
    if (ring === 0) return 0;
    const cell = 1 / this.side;
    const edges = [
      column - ring >= 0 ? x - (column - ring + 1) * cell : Infinity,
      column + ring < this.side ? (column + ring) * cell - x : Infinity,
      row - ring >= 0 ? y - (row - ring + 1) * cell : Infinity,
      row + ring < this.side ? (row + ring) * cell - y : Infinity,
    ];
    return Math.max(0, Math.min(...edges));
  }

  /**
   * The next point in a direction: of those in the quarter of the plane around it, the one that is near, along more than
   * aside. Points on the same place follow each other to the right and to the left. -1 for none.
   */
  towards(from: number, direction: Direction): number {
    const x = this.x[from];
    const y = this.y[from];
    if (x === undefined || y === undefined) return -1;
    const forward = direction === 'right' || direction === 'down' ? 1 : -1;
    const level = direction === 'left' || direction === 'right';
    let best = -1;
    let least = Infinity;
    for (let point = 0; point < this.count; point++) {
      if (point === from) continue;
      const dx = (this.x[point] ?? NaN) - x;
      const dy = (this.y[point] ?? NaN) - y;
      if (dx === 0 && dy === 0) {
        // The one that follows in the list, or the one before it.
        const step = (point - from) * forward;
        if (!level || step <= 0) continue;
        if (least > -Infinity || step < (best - from) * forward) best = point;
        least = -Infinity;
        continue;
      }
      const along = (level ? dx : dy) * forward;
      const aside = Math.abs(level ? dy : dx);
      if (!(along > 0) || aside > along) continue;
      const cost = along + 2 * aside;
      if (cost < least) {
        best = point;
        least = cost;
      }
    }
    return best;
  }

  /** The points inside an outline, given by its corners. */
  inside(outline: readonly { x: number; y: number }[]): number[] {
    if (outline.length < 3) return [];
    const left = Math.min(...outline.map((corner) => corner.x));
    const right = Math.max(...outline.map((corner) => corner.x));
    const top = Math.min(...outline.map((corner) => corner.y));
    const bottom = Math.max(...outline.map((corner) => corner.y));
    const found: number[] = [];
    for (let point = 0; point < this.count; point++) {
      const x = this.x[point] ?? NaN;
      const y = this.y[point] ?? NaN;
      if (x >= left && x <= right && y >= top && y <= bottom && isInside(outline, x, y)) found.push(point);
    }
    return found;
  }
}

/** Where points lie, as far as that are numbers. */
function boundsOf(x: Float32Array, y: Float32Array): Bounds {
  const bounds = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const place of x) {
    if (Number.isFinite(place)) bounds.left = Math.min(bounds.left, place);
    if (Number.isFinite(place)) bounds.right = Math.max(bounds.right, place);
  }
  for (const place of y) {
    if (Number.isFinite(place)) bounds.top = Math.min(bounds.top, place);
    if (Number.isFinite(place)) bounds.bottom = Math.max(bounds.bottom, place);
  }
  return bounds.left <= bounds.right && bounds.top <= bounds.bottom ? bounds : WHOLE;
}

/** Whether a ray to the right crosses the outline an odd number of times. */
function isInside(outline: readonly { x: number; y: number }[], x: number, y: number): boolean {
  let odd = false;
  let before = outline[outline.length - 1];
  for (const corner of outline) {
    if (before && corner.y > y !== before.y > y && x < ((before.x - corner.x) * (y - corner.y)) / (before.y - corner.y) + corner.x) odd = !odd;
    before = corner;
  }
  return odd;
}
