// Columns of peaks, cached in power-of-two tiles, so that panning and zooming can draw from existing data.
//
// A column of level L covers 2^L frames and begins on a multiple of 2^L: the same columns serve every scroll position,
// and a moving picture does not shimmer. Missing tiles are drawn from the next coarser one until they arrive. When the
// sound itself changes, as the processed side does with its chain, the tiles of the previous sound stand in, marked as
// old.

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
  /** The version of the sound it is from. */
  version: number;
  /** Made before the pyramid became finer: still drawn, but requested again. */
  stale: boolean;
  /** Whether every column is known. */
  whole: boolean;
  /** Whether any column is known. */
  known: boolean;
  /** The tile of the previous sound, shown where this one is still unknown. */
  before: Tile | null;
  used: number;
}

export interface SampleTile {
  startFrame: number;
  block: SampleBlock;
  version: number;
  /** The version last requested; its samples may still be unknown. */
  asked: number;
  stale: boolean;
  used: number;
}

export interface Found {
  tile: Tile | null;
  /** Whether it is of the requested level, and exact. */
  right: boolean;
  /** Whether it is of the previous sound. */
  old: boolean;
}

export interface TileSource {
  peaks(start: number, end: number, columns: number): Promise<PeakBlock>;
  samples(start: number, end: number): Promise<SampleBlock>;
}

export class TileCache {
  private readonly tiles = new Map<string, Tile>();
  private readonly sampleTiles = new Map<number, SampleTile>();
  private flying = new Set<string>();
  /** The keys of tiles whose requests failed; requested again after a change. */
  private readonly refused = new Set<string>();
  /** The missing tiles of each picture (lanes, overview) when last drawn. */
  private readonly wanted = new Map<string, string[]>();
  /** The tiles that each picture was last drawn from. */
  private readonly shown = new Map<string, Set<string>>();
  private picture = '';
  private clock = 0;
  private version = 0;
  /** The version after the last edit: answers about earlier sounds are useless. */
  private edited = 0;
  private closed = false;

  constructor(
    private readonly source: TileSource,
    public frames: number,
    private readonly onArrival: () => void,
  ) {}

  /** The level whose columns are no wider than `framesPerPx`. */
  static levelFor(framesPerPx: number): number {
    return Math.max(0, Math.floor(Math.log2(Math.max(1, framesPerPx))));
  }

  private topLevel(): number {
    return Math.max(0, Math.ceil(Math.log2(Math.max(1, this.frames / TILE_COLUMNS))));
  }

  /** Finds the tile of a level that contains `frame`, or the nearest coarser one; requests missing tiles. */
  find(level: number, frame: number): Found {
    const top = this.topLevel();
    const held = Math.min(level, top);
    const wantedKey = this.key(held, frame);
    const tile = this.tiles.get(wantedKey) ?? null;
    const current = tile?.version === this.version;
    this.shown.get(this.picture)?.add(wantedKey);
    if (tile) tile.used = ++this.clock;
    if (!tile || tile.stale || !current) this.want(wantedKey);
    if (tile && current) return { tile, right: !tile.stale && tile.block.exact, old: false };
    // The top tile first: it can stand in for every other.
    if (this.tiles.get(this.key(top, frame))?.version !== this.version) this.want(this.key(top, frame), true);
    let former = tile;
    for (let coarser = held + 1; coarser <= top; coarser++) {
      const other = this.tiles.get(this.key(coarser, frame));
      if (other?.version === this.version && other.whole) return { tile: other, right: false, old: false };
      former ??= other ?? null;
    }
    return { tile: former, right: false, old: former !== null && former.version !== this.version };
  }

  /** Finds the samples around `frame`; requests them if missing. */
  findSamples(frame: number): SampleTile | null {
    const index = Math.floor(frame / SAMPLE_TILE_FRAMES);
    const key = `s:${index}`;
    const tile = this.sampleTiles.get(index);
    this.shown.get(this.picture)?.add(key);
    if (tile) tile.used = ++this.clock;
    if (!tile || tile.stale || tile.asked !== this.version) this.want(key);
    return tile?.block.known ? tile : null;
  }

  /** Whether neither this sound nor the previous one is known anywhere. */
  get isBlank(): boolean {
    for (const tile of this.tiles.values()) if (tile.known) return false;
    for (const tile of this.sampleTiles.values()) if (tile.block.known) return false;
    return true;
  }

  /** Whether a tile is of the previous sound. */
  isOld(tile: { version: number }): boolean {
    return tile.version !== this.version;
  }

  /** Requests coarse tiles again when the pyramid became finer; once it is `whole`, all inexact ones. */
  refresh(whole = false): void {
    for (const tile of this.tiles.values()) if (!tile.block.exact && (whole || !tile.block.ahead)) tile.stale = true;
    for (const tile of this.sampleTiles.values()) if (!tile.block.known || tile.version !== this.version) tile.stale = true;
    this.refused.clear();
    this.onArrival();
  }

  /** Requests everything again after the sound changed; existing tiles are drawn as those of the previous sound. */
  renew(): void {
    this.version++;
    this.refused.clear();
    this.onArrival();
  }

  /**
   * Drops all tiles after an edit of the recording, which moves or removes their content. Visible places are requested
   * at once, so that the answers may be here by the next frame.
   */
  reset(frames: number): void {
    this.frames = frames;
    this.edited = ++this.version;
    this.tiles.clear();
    this.sampleTiles.clear();
    this.refused.clear();
    this.flying = new Set();
    for (const [picture, keys] of this.shown) this.wanted.set(picture, [...keys]);
    this.end();
    this.onArrival();
  }

  /** Begins a picture, forgetting its missing tiles from the last time. */
  begin(picture: string): void {
    this.picture = picture;
    this.wanted.set(picture, []);
    this.shown.set(picture, new Set());
  }

  /** Ends a picture and requests missing tiles. */
  end(): void {
    for (const keys of [...this.wanted.values()].reverse()) {
      while (this.flying.size < MAX_IN_FLIGHT && keys.length > 0) {
        const key = keys.shift();
        if (key !== undefined && !this.flying.has(key)) void this.fetch(key);
      }
    }
  }

  /** Called when a picture is no longer drawn from this cache. */
  rest(picture: string): void {
    this.wanted.delete(picture);
    this.shown.delete(picture);
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
    if (!keys || this.flying.has(key) || this.refused.has(key) || keys.includes(key)) return;
    if (first) keys.unshift(key);
    else keys.push(key);
  }

  private async fetch(key: string): Promise<void> {
    // An edit starts a new set, so that requests for the previous sound do not block new ones.
    const { version, flying } = this;
    flying.add(key);
    try {
      if (key.startsWith('s:')) await this.fetchSamples(Number(key.slice(2)), version);
      else await this.fetchPeaks(key, version);
    } catch {
      // A separate banner reports a recording that cannot be read.
      if (version === this.version) this.refused.add(key);
    }
    flying.delete(key);
    if (!this.closed) this.onArrival();
  }

  private async fetchPeaks(key: string, version: number): Promise<void> {
    const [level = 0, index = 0] = key.split(':').map(Number);
    const width = 2 ** level;
    const startFrame = index * TILE_COLUMNS * width;
    const end = Math.min(this.frames, startFrame + TILE_COLUMNS * width);
    if (end <= startFrame) return;
    const columns = Math.ceil((end - startFrame) / width);
    const block = await this.source.peaks(startFrame, end, columns);
    const known = this.tiles.get(key) ?? null;
    if (version < this.edited || (known && known.version > version)) return;
    const whole = block.exact || !block.max.some((plane) => plane.some(Number.isNaN));
    const something = block.exact || block.max.some((plane) => plane.some((value) => !Number.isNaN(value)));
    const former = known && known.version === version ? known.before : known;
    const before = whole || !former ? null : { ...former, before: null };
    this.tiles.set(key, { startFrame, framesPerColumn: (end - startFrame) / columns, block, version, stale: false, whole, known: something || before !== null, before, used: ++this.clock });
    dropOldest(this.tiles, MAX_TILES);
  }

  private async fetchSamples(index: number, version: number): Promise<void> {
    const startFrame = index * SAMPLE_TILE_FRAMES;
    const end = Math.min(this.frames, startFrame + SAMPLE_TILE_FRAMES);
    if (end <= startFrame) return;
    const block = await this.source.samples(startFrame, end);
    const known = this.sampleTiles.get(index);
    if (version < this.edited || (known && known.version > version)) return;
    // Until the new samples are known, those of the previous sound are shown.
    if (known?.block.known && !block.known) Object.assign(known, { asked: version, stale: false });
    else this.sampleTiles.set(index, { startFrame, block, version, asked: version, stale: false, used: ++this.clock });
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
