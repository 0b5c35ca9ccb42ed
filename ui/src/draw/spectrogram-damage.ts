// Parts of a picture that must be redrawn: the strip revealed by scrolling, and places whose tiles have changed.
//
// A tile's inner codes never change; its border does when a neighbour arrives, which affects only pixels at its rim.

import { TILE_SIDE } from '../backend';
import type { Patch } from './spectrogram-grid';
import type { CodeTile } from './spectrogram-tile';

/** A box in whole pixels, with exclusive ends. */
export interface Box {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** A drawn patch, and the state of its tile's border at the time. */
export interface Drawn extends Box {
  tile: CodeTile;
  version: number;
}

export const drawn = (patches: readonly Patch[]): Drawn[] => patches.map(({ tile, x0, x1, y0, y1 }) => ({ tile, version: tile.version, x0, x1, y0, y1 }));

export function overlap(a: Box, b: Box): Box | null {
  const box = { x0: Math.max(a.x0, b.x0), x1: Math.min(a.x1, b.x1), y0: Math.max(a.y0, b.y0), y1: Math.min(a.y1, b.y1) };
  return box.x1 > box.x0 && box.y1 > box.y0 ? box : null;
}

const same = (a: Box, b: Box): boolean => a.x0 === b.x0 && a.x1 === b.x1 && a.y0 === b.y0 && a.y1 === b.y1;

/** The boxes that differ from the last picture after moving it `by` pixels to the left; they may overlap. */
export function damage(before: readonly Drawn[], now: readonly Patch[], by: number, width: number, height: number): Box[] {
  const kept: Box = { x0: Math.max(0, -by), x1: Math.min(width, width - by), y0: 0, y1: height };
  const boxes: Box[] = [];
  if (by > 0) boxes.push({ x0: kept.x1, x1: width, y0: 0, y1: height });
  if (by < 0) boxes.push({ x0: 0, x1: kept.x0, y0: 0, y1: height });
  const standing = new Map<CodeTile, { box: Box; version: number }[]>();
  for (const { tile, version, x0, x1, y0, y1 } of before) {
    const box = overlap({ x0: x0 - by, x1: x1 - by, y0, y1 }, kept);
    if (!box) continue;
    const list = standing.get(tile) ?? [];
    standing.set(tile, [...list, { box, version }]);
  }
  for (const patch of now) {
    const box = overlap(patch, kept);
    if (!box) continue;
    const list = standing.get(patch.tile) ?? [];
    const found = list.findIndex((each) => same(each.box, box));
    if (found < 0) boxes.push(box);
    else if (list.splice(found, 1)[0]?.version !== patch.tile.version) boxes.push(...rims(patch, box));
  }
  // Patches that are gone.
  for (const list of standing.values()) boxes.push(...list.map(({ box }) => box));
  return boxes;
}

/** The pixels of a patch that depend on the tile's border. */
function rims(patch: Patch, box: Box): Box[] {
  const [left, right] = inside(patch.u0, patch.du);
  const [top, bottom] = inside(patch.v0, patch.dv);
  const [x0, x1, y0, y1] = [patch.x0 + left, patch.x0 + right, patch.y0 + top, patch.y0 + bottom];
  const sides: Box[] = [
    { ...box, x1: x0 },
    { ...box, x0: x1 },
    { ...box, y1: y0 },
    { ...box, y0: y1 },
  ];
  return sides.flatMap((side) => overlap(side, box) ?? []);
}

/** The first and last (excluded) step from `place`, in 65536ths, between the first and last inner column or row. */
function inside(place: number, step: number): [number, number] {
  const [low, high] = [65_536, TILE_SIDE * 65_536];
  const steps = (to: number) => (to - place) / step;
  const [first, last] = step > 0 ? [steps(low), steps(high)] : [steps(high), steps(low)];
  return [Math.ceil(first), Math.floor(last) + 1];
}

export const area = (boxes: readonly Box[]): number => boxes.reduce((sum, { x0, x1, y0, y1 }) => sum + (x1 - x0) * (y1 - y0), 0);

/** The smallest box around all. */
export function around(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const of = (pick: (...values: number[]) => number, side: keyof Box) => pick(...boxes.map((box) => box[side]));
  return { x0: of(Math.min, 'x0'), x1: of(Math.max, 'x1'), y0: of(Math.min, 'y0'), y1: of(Math.max, 'y1') };
}
