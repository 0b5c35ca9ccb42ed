// A tile of codes with a border of one column and row, taken from its neighbours, so that pictures have no seams.

import { TILE_SIDE, type CodeBlock } from '../backend';

/** Columns and rows with the border. */
export const TILE_STRIDE = TILE_SIDE + 2;
export const TILE_BYTES = TILE_STRIDE * TILE_STRIDE * 2;

export interface CodeTile {
  codes: Uint16Array;
  exact: boolean;
  /** Incremented whenever the codes change, so that textures are rebuilt. */
  version: number;
  used: number;
  /** The time before which no better answer is requested. */
  retryAt: number;
  tries: number;
}

/** Makes a tile of row `row` of tiles (256 rows each) of a block; missing columns repeat the last one. */
export function tileFrom(block: CodeBlock, row: number): CodeTile {
  const codes = new Uint16Array(TILE_STRIDE * TILE_STRIDE);
  const width = Math.min(TILE_SIDE, block.columns);
  for (let y = -1; y <= TILE_SIDE; y++) {
    const from = (row * TILE_SIDE + Math.min(TILE_SIDE - 1, Math.max(0, y))) * block.columns;
    const to = (y + 1) * TILE_STRIDE + 1;
    codes.set(block.codes.subarray(from, from + width), to);
    codes[to - 1] = block.codes[from] ?? 0;
    codes.fill(block.codes[from + width - 1] ?? 0, to + width, to + TILE_SIDE + 1);
  }
  return { codes, exact: block.exact, version: 0, used: 0, retryAt: 0, tries: 0 };
}

/** Copies the border from a neighbour `right` tile columns and `up` tile rows away. */
export function joinTiles(tile: CodeTile, neighbour: CodeTile, right: number, up: number): void {
  const [firstX, lastX] = reach(right);
  const [firstY, lastY] = reach(up);
  for (let y = firstY; y <= lastY; y++) {
    const from = (y - up * TILE_SIDE) * TILE_STRIDE - right * TILE_SIDE;
    const to = y * TILE_STRIDE;
    if (right === 0) tile.codes.set(neighbour.codes.subarray(from + firstX, from + lastX + 1), to + firstX);
    else tile.codes[to + firstX] = neighbour.codes[from + firstX] ?? 0;
  }
  tile.version++;
}

/** The columns (or rows) of a bordered tile that a neighbour on one side fills. */
const reach = (side: number): [number, number] => (side === 0 ? [1, TILE_SIDE] : side > 0 ? [TILE_SIDE + 1, TILE_SIDE + 1] : [0, 0]);
