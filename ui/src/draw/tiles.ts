// Columns of peaks, kept in tiles of whole powers of two, so that panning and zooming draw from what is there.
//
// A column of level L covers 2^L frames and begins on a multiple of them: the same columns serve every scroll position,
// and a picture does not shimmer while it moves. What is missing is drawn from the next coarser tile until it comes. Where
// the sound itself becomes another one, as the processed side does with its chain, the tiles of the one before stand in,
// and are told apart.

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
  /** The sound that it is of. */
  version: number;
  /** Made before the pyramid became finer: drawn, but asked for again. */
  stale: boolean;
  /** Whether something is known of every column. */
  whole: boolean;
  /** Whether something is known of some column. */
  known: boolean;
  /** The tile of the sound before, shown where nothing is known of this one yet. */
  before: Tile | null;
  used: number;
}

export interface SampleTile {
  startFrame: number;
  block: SampleBlock;
  version: number;
  /** The sound that was asked for last; its samples may not be known yet. */
  asked: number;
  stale: boolean;
  used: number;
}

export interface Found {
  tile: Tile | null;
  /** Whether it is what was asked for, and exact. */
  right: boolean;
  /** Whether it is of the sound before. */
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
  /** Tiles that could not be had, by their keys; asked for again when something has changed. */
  private readonly refused = new Set<string>();
  /** Tiles that each picture (lanes, overview) lacked when it was drawn last. */
  private readonly wanted = new Map<string, string[]>();
  /** Tiles that each picture was drawn from last. */
  private readonly shown = new Map<string, Set<string>>();
  private picture = '';
  private clock = 0;
  private version = 0;
  /** The version since the last edit: answers about the sound before it tell nothing. */
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

  /** The tile of a level that holds `frame`, or the nearest coarser one there is; asks for what is missing. */
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
    // The picture of the whole first: it stands in for everything else.
    if (this.tiles.get(this.key(top, frame))?.version !== this.version) this.want(this.key(top, frame), true);
    let former = tile;
    for (let coarser = held + 1; coarser <= top; coarser++) {
      const other = this.tiles.get(this.key(coarser, frame));
      if (other?.version === this.version && other.whole) return { tile: other, right: false, old: false };
      former ??= other ?? null;
    }
    return { tile: former, right: false, old: former !== null && former.version !== this.version };
  }

  /** The samples around `frame`; asks for them when they are not here. */
  findSamples(frame: number): SampleTile | null {
    const index = Math.floor(frame / SAMPLE_TILE_FRAMES);
    const key = `s:${index}`;
    const tile = this.sampleTiles.get(index);
    this.shown.get(this.picture)?.add(key);
    if (tile) tile.used = ++this.clock;
    if (!tile || tile.stale || tile.asked !== this.version) this.want(key);
    return tile?.block.known ? tile : null;
  }

  /** Whether nothing is known of the sound, nor of the one before. */
  get isBlank(): boolean {
    for (const tile of this.tiles.values()) if (tile.known) return false;
    for (const tile of this.sampleTiles.values()) if (tile.block.known) return false;
    return true;
  }

  /** Whether a tile is of the sound before. */
  isOld(tile: { version: number }): boolean {
    return tile.version !== this.version;
  }

  /** The picture became finer: what was drawn from a coarse one is asked for again; all that is not exact, once it is `whole`. */
  refresh(whole = false): void {
    for (const tile of this.tiles.values()) if (!tile.block.exact && (whole || !tile.block.ahead)) tile.stale = true;
    for (const tile of this.sampleTiles.values()) if (!tile.block.known || tile.version !== this.version) tile.stale = true;
    this.refused.clear();
    this.onArrival();
  }

  /** The sound became another one: everything is asked for again, and what is here is drawn as that of the one before. */
  renew(): void {
    this.version++;
    this.refused.clear();
    this.onArrival();
  }

  /**
   * The recording was edited: what is here lies elsewhere now, or nowhere. The places that pictures show are asked for at
   * once: by their next frame the answer may be here.
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

  /** A picture begins: what it lacked when it was drawn last is forgotten. */
  begin(picture: string): void {
    this.picture = picture;
    this.wanted.set(picture, []);
    this.shown.set(picture, new Set());
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

  /** A picture is no longer drawn from here. */
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
    // An edit begins a new set: what was asked of the sound before keeps nothing from being asked again.
    const { version, flying } = this;
    flying.add(key);
    try {
      if (key.startsWith('s:')) await this.fetchSamples(Number(key.slice(2)), version);
      else await this.fetchPeaks(key, version);
    } catch {
      // A recording that cannot be read has its own banner.
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
    // Until its samples are known, those of the sound before are shown.
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
