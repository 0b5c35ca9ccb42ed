// Columns of peaks, kept in tiles of whole powers of two, so that panning and zooming draw from what is there.
//
// A column of level L covers 2^L frames and begins on a multiple of them: the same columns serve every scroll position,
// and a picture does not shimmer while it moves. What is missing is drawn from the next coarser tile until it comes.

import type { PeakBlock, SampleBlock } from '../backend';

export const TILE_COLUMNS = 1024;
export const SAMPLE_TILE_FRAMES = 8192;
const MAX_TILES = 192;
const MAX_SAMPLE_TILES = 64;
const MAX_IN_FLIGHT = 3;

export interface Tile {
  startFrame: number;
  framesPerColumn: number;
  block: PeakBlock;
  /** Made before the pyramid became finer: drawn, but asked for again. */
  stale: boolean;
  used: number;
}

export interface SampleTile {
  startFrame: number;
  block: SampleBlock;
  used: number;
}

export interface TileSource {
  peaks(start: number, end: number, columns: number): Promise<PeakBlock>;
  samples(start: number, end: number): Promise<SampleBlock>;
}

export class TileCache {
  private readonly tiles = new Map<string, Tile>();
  private readonly sampleTiles = new Map<number, SampleTile>();
  private readonly flying = new Set<string>();
  /** What each picture (lanes, overview) lacked when it was drawn last. */
  private readonly wanted = new Map<string, string[]>();
  private picture = '';
  private clock = 0;
  private closed = false;

  constructor(
    private readonly source: TileSource,
    readonly frames: number,
    private readonly onArrival: () => void,
  ) {}

  /** The level whose columns are no wider than `framesPerPx`. */
  static levelFor(framesPerPx: number): number {
    return Math.max(0, Math.floor(Math.log2(Math.max(1, framesPerPx))));
  }

  private topLevel(): number {
    return Math.max(0, Math.ceil(Math.log2(Math.max(1, this.frames / TILE_COLUMNS))));
  }

  /** The tile of a level that holds `frame`, or the nearest coarser one there is; asks for what is missing. */
  find(level: number, frame: number): { tile: Tile | null; right: boolean } {
    const top = this.topLevel();
    const held = Math.min(level, top);
    const wantedKey = this.key(held, frame);
    const tile = this.tiles.get(wantedKey);
    if (tile) tile.used = ++this.clock;
    if (!tile || tile.stale) this.want(wantedKey);
    if (tile) return { tile, right: !tile.stale && tile.block.exact };
    // The picture of the whole first: it stands in for everything else.
    if (!this.tiles.has(this.key(top, frame))) this.want(this.key(top, frame), true);
    for (let coarser = held + 1; coarser <= top; coarser++) {
      const other = this.tiles.get(this.key(coarser, frame));
      if (other) return { tile: other, right: false };
    }
    return { tile: null, right: false };
  }

  /** The samples around `frame`; asks for them when they are not here. */
  findSamples(frame: number): SampleTile | null {
    const index = Math.floor(frame / SAMPLE_TILE_FRAMES);
    const tile = this.sampleTiles.get(index);
    if (tile) tile.used = ++this.clock;
    else this.want(`s:${index}`);
    return tile ?? null;
  }

  /** The recording's picture became finer: what was drawn from a coarse one is asked for again. */
  refresh(): void {
    for (const tile of this.tiles.values()) if (!tile.block.exact) tile.stale = true;
    this.onArrival();
  }

  /** A picture begins: what it lacked when it was drawn last is forgotten. */
  begin(picture: string): void {
    this.picture = picture;
    this.wanted.set(picture, []);
  }

  /** A picture is drawn: asks for what is lacking. */
  end(): void {
    for (const keys of [...this.wanted.values()].reverse()) {
      while (this.flying.size < MAX_IN_FLIGHT && keys.length > 0) {
        const key = keys.shift();
        if (key !== undefined && !this.flying.has(key)) void this.fetch(key);
      }
    }
  }

  close(): void {
    this.closed = true;
    this.tiles.clear();
    this.sampleTiles.clear();
  }

  private key(level: number, frame: number): string {
    return `${level}:${Math.floor(frame / (TILE_COLUMNS * 2 ** level))}`;
  }

  private want(key: string, first = false): void {
    const keys = this.wanted.get(this.picture);
    if (!keys || this.flying.has(key) || keys.includes(key)) return;
    if (first) keys.unshift(key);
    else keys.push(key);
  }

  private async fetch(key: string): Promise<void> {
    this.flying.add(key);
    try {
      if (key.startsWith('s:')) await this.fetchSamples(Number(key.slice(2)));
      else await this.fetchPeaks(key);
    } catch {
      // The next picture asks again; a recording that cannot be read has its own banner.
    }
    this.flying.delete(key);
    if (!this.closed) this.onArrival();
  }

  private async fetchPeaks(key: string): Promise<void> {
    const [level = 0, index = 0] = key.split(':').map(Number);
    const width = 2 ** level;
    const startFrame = index * TILE_COLUMNS * width;
    const end = Math.min(this.frames, startFrame + TILE_COLUMNS * width);
    if (end <= startFrame) return;
    const columns = Math.ceil((end - startFrame) / width);
    const block = await this.source.peaks(startFrame, end, columns);
    this.tiles.set(key, { startFrame, framesPerColumn: (end - startFrame) / columns, block, stale: false, used: ++this.clock });
    dropOldest(this.tiles, MAX_TILES);
  }

  private async fetchSamples(index: number): Promise<void> {
    const startFrame = index * SAMPLE_TILE_FRAMES;
    const end = Math.min(this.frames, startFrame + SAMPLE_TILE_FRAMES);
    if (end <= startFrame) return;
    this.sampleTiles.set(index, { startFrame, block: await this.source.samples(startFrame, end), used: ++this.clock });
    dropOldest(this.sampleTiles, MAX_SAMPLE_TILES);
  }
}

function dropOldest<K>(tiles: Map<K, { used: number }>, most: number): void {
  while (tiles.size > most) {
    let oldest: K | undefined;
    let least = Infinity;
    for (const [key, tile] of tiles) {
      if (tile.used < least) {
        least = tile.used;
        oldest = key;
      }
    }
    if (oldest === undefined) return;
    tiles.delete(oldest);
  }
}
