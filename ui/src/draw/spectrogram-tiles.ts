// The tiles of a recording's spectrograms: cached up to a limit, requested visible first, with stand-ins meanwhile.

import { TILE_SIDE, type CodeBlock } from '../backend';
import type { Failure, LaneChannels, Side, SpectrogramAnalysis, SpectrogramTile } from '../bindings';
import { span } from '../lib/view';
import { cellsOf, cover, patchOf, type Cell, type Patch, type Window } from './spectrogram-grid';
import { joinTiles, TILE_BYTES, tileFrom, type CodeTile } from './spectrogram-tile';

const MAX_BYTES = 128 * 2 ** 20;
/** The cache size of a document that is not active. */
const RESTING_BYTES = 16 * 2 ** 20;
/** The core computes both lanes of two columns at a time; the next requests queue there, to save a round trip. */
const MAX_IN_FLIGHT = 6;
/** While the view moves, one processor core is left free for drawing and for the system's compositor. */
const MAX_WHILE_MOVING = Math.max(1, Math.min(MAX_IN_FLIGHT, (globalThis.navigator?.hardwareConcurrency ?? 2) - 1));
/** A view that has not moved for this long is at rest; longer if its moves are further apart, as with slow frames. */
const REST_MS = 40;
/** Moves further apart than this are separate movements. */
const APART_MS = 250;
/** The most pieces of a stand-in. */
const MAX_PIECES = 16;
/** The order of tiles beside the view: after missing visible tiles, before coarse visible ones. */
const BESIDE = 500;
/** The number of former settings or chains kept as stand-ins while new tiles load. */
const KEPT_BEFORE = 2;
/** A stand-in coarser by more than this many doublings shows too little to replace another picture. */
const COARSE_LEVELS = 4;
const RETRY_MS = 150;
/**
 * The shortest time between pictures while tiles arrive, since a picture takes as long as some tiles: with parts still
 * missing, and with stand-ins everywhere.
 */
const DRAW_MISSING_MS = 60;
const DRAW_COVERED_MS = 300;
const FAILURE_MS = 4000;

/** The sound and the analysis that a lane's tiles are made from. */
export interface Layer {
  analysis: SpectrogramAnalysis;
  channels: LaneChannels;
  lane: number;
  side: Side;
  /** The chain as text, for the processed side. */
  chain: string;
}

interface Held {
  layer: Layer;
  key: string;
  tiles: Map<string, CodeTile>;
  /** The number of tiles of each resolution. */
  shapes: Map<string, { level: number; rowLevel: number; count: number }>;
}

interface Want {
  held: Held;
  cell: Cell;
  /** Lower is requested sooner. */
  order: number;
  /** Whether it is visible, not just beside the view. */
  seen: boolean;
}

/** Numbers requests, over all documents. */
let numbered = 0;

export type AskTile = (tile: SpectrogramTile) => Promise<CodeBlock>;

const cellKey = (cell: Cell): string => `${cell.level}:${cell.rowLevel}:${cell.column}:${cell.row}`;
const laneKey = ({ analysis, channels, lane, side }: Layer): string => `${analysis.scale} ${channels} ${lane} ${side}`;
const keyOf = (layer: Layer): string => `${laneKey(layer)} ${analysisKey(layer.analysis)} ${layer.side === 'processed' ? layer.chain : ''}`;
const analysisKey = (a: SpectrogramAnalysis): string => `${a.method} ${a.bins_per_octave} ${a.window} ${a.window_frames} ${a.padding} ${a.scale}`;

export class SpectrogramTiles {
  private readonly layers = new Map<string, Held>();
  /** The layers of each lane, the latest first. */
  private readonly lanes = new Map<string, Held[]>();
  /** Cells being requested, and their requests. */
  private readonly flying = new Set<string>();
  private readonly requests = new Map<number, string[]>();
  private readonly failed = new Map<string, number>();
  private wanted: Want[] = [];
  private clock = 0;
  private count = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private resting: ReturnType<typeof setTimeout> | null = null;
  private seen: Window | null = null;
  private movedAt = -Infinity;
  private zoomedAt = -Infinity;
  private restMs = REST_MS;
  private drawnAt = -Infinity;
  private closed = false;
  /** Whether everything drawn since `begin` was a final tile. */
  exact = true;
  /** Whether something worth looking at has been drawn everywhere since `begin`, or never will be. */
  covered = true;

  constructor(
    private readonly ask: AskTile,
    private frames: number,
    private readonly onArrival: () => void,
    private readonly cancel: (requests: number[]) => void,
    private readonly mostBytes = MAX_BYTES,
  ) {}

  get bytes(): number {
    return this.count * TILE_BYTES;
  }

  /** Begins a picture, forgetting the missing tiles of the last one. */
  begin(): void {
    this.wanted = [];
    this.exact = true;
    this.covered = true;
  }

  /** The patches of a lane, in drawing order; notes what is missing. */
  patches(layer: Layer, window: Window): Patch[] {
    this.watch(window);
    return this.collect(this.held(layer), window, true);
  }

  /** The existing patches of a formerly shown lane; requests nothing. */
  patchesHeld(layer: Layer, window: Window): Patch[] {
    const held = this.layers.get(keyOf(layer));
    return held ? this.collect(held, window, false) : [];
  }

  /** Records when the view was moved and zoomed. */
  private watch(window: Window): void {
    const { seen } = this;
    this.seen = window;
    if (!seen) return;
    const now = performance.now();
    if (seen.view.start !== window.view.start || seen.axis.bottom !== window.axis.bottom) this.moves(now);
    // Scrolling keeps the width, apart from rounding.
    const sameWidth = Math.abs(span(seen.view) - span(window.view)) <= 1e-6 * span(window.view);
    const sameHeight = Math.abs(seen.axis.top - seen.axis.bottom - window.axis.top + window.axis.bottom) <= 1e-9;
    if (sameWidth && sameHeight) return;
    this.moves(now);
    this.zoomedAt = now;
  }

  private moves(now: number): void {
    const since = now - this.movedAt;
    this.restMs = since < APART_MS ? Math.max(REST_MS, 2 * since) : REST_MS;
    this.movedAt = now;
  }

  private collect(held: Held, window: Window, asking: boolean): Patch[] {
    const cells = cellsOf(window, this.frames);
    const found: Patch[] = [];
    const add = (cell: Cell, from: Cell, tile: CodeTile) => {
      tile.used = ++this.clock;
      const patch = patchOf(cell, from, tile, window, this.frames);
      if (patch) found.push(patch);
    };
    const middle = (cells.firstColumn + cells.lastColumn) / 2;
    for (let column = cells.firstColumn; column <= cells.lastColumn; column++) {
      for (let row = cells.firstRow; row <= cells.lastRow; row++) {
        const cell: Cell = { level: cells.level, column, rowLevel: cells.rowLevel, row };
        const tile = held.tiles.get(cellKey(cell));
        if (tile) add(cell, cell, tile);
        else {
          const instead = this.standIns(held, cell);
          for (const [from, other] of instead.tiles) add(cell, from, other);
          if (asking && instead.tiles.length === 0) this.wantWhole(held);
          // Does not wait for a tile that failed.
          if (!instead.coarse && !this.failed.has(`${held.key} ${cellKey(cell)}`)) this.covered = false;
        }
        if (tile?.exact) continue;
        this.exact = false;
        if (!asking) continue;
        // Missing cells before coarse ones, from the middle outwards.
        this.want(held, cell, (tile ? 1000 : 0) + Math.abs(column - middle));
      }
    }
    if (asking) {
      this.wantBeside(held, cells.firstColumn - 1, cells);
      this.wantBeside(held, cells.lastColumn + 1, cells);
    }
    return found;
  }

  /** Ends a picture and requests its missing tiles. */
  end(): void {
    this.wanted.sort((a, b) => a.order - b.order);
    this.giveUp();
    const putOff = this.fetchMore();
    const now = performance.now();
    this.drawnAt = now;
    if (putOff) this.fetchAtRest();
    else this.wakeLater();
  }

  /** Requests missing tiles, up to the limit in flight; true if that is put off. */
  private fetchMore(): boolean {
    const now = performance.now();
    // A zoom passes each resolution in a few frames: existing tiles stand in until the view rests.
    const putOff = now - this.zoomedAt < this.restMs && this.covered;
    const most = putOff ? 0 : now - this.movedAt < this.restMs ? MAX_WHILE_MOVING : MAX_IN_FLIGHT;
    while (this.requests.size < most) {
      const run = this.nextRun();
      if (!run) break;
      void this.fetch(run.held, run.cell, run.rows);
    }
    return putOff;
  }

  /** Handles an arrival or failure: requests more, and redraws at intervals and once all visible tiles are here. */
  private arrived(inSight: boolean): void {
    if (this.closed) return;
    this.fetchMore();
    // A tile beside the view does not change the picture, but a coarse visible one may be waiting for its arrival.
    if (!inSight) return this.wakeLater();
    const since = performance.now() - this.drawnAt;
    const complete = !this.wanted.some((want) => want.seen);
    if (complete || since >= (this.covered ? DRAW_COVERED_MS : DRAW_MISSING_MS)) this.onArrival();
  }

  /** Called when the document is no longer shown: keeps only the most recently used tiles. */
  rest(): void {
    while (this.bytes > RESTING_BYTES && this.dropOldest());
  }

  /** Cancels requests for tiles that are no longer wanted. */
  private giveUp(): void {
    const wanted = new Set(this.wanted.map((want) => `${want.held.key} ${cellKey(want.cell)}`));
    const gone = [...this.requests].filter(([, keys]) => !keys.some((key) => wanted.has(key))).map(([request]) => request);
    if (gone.length > 0) this.cancel(gone);
  }

  close(): void {
    this.closed = true;
    if (this.requests.size > 0) this.cancel([...this.requests.keys()]);
    if (this.timer) clearTimeout(this.timer);
    if (this.resting) clearTimeout(this.resting);
    this.layers.clear();
    this.lanes.clear();
    this.count = 0;
  }

  /** Drops all tiles after an edit of the recording, which moves or removes their content. */
  reset(frames: number): void {
    this.frames = frames;
    if (this.requests.size > 0) this.cancel([...this.requests.keys()]);
    for (const held of [...this.layers.values()]) this.dropLayer(held);
    this.lanes.clear();
    this.failed.clear();
    this.wanted = [];
    if (!this.closed) this.onArrival();
  }

  private held(layer: Layer): Held {
    const lane = laneKey(layer);
    const key = keyOf(layer);
    const stack = this.lanes.get(lane) ?? [];
    this.lanes.set(lane, stack);
    let held = this.layers.get(key);
    if (held && stack[0] === held) return held;
    held ??= { layer, key, tiles: new Map(), shapes: new Map() };
    this.layers.set(key, held);
    const before = stack.filter((each) => each !== held);
    // Settings changed so quickly that no tile arrived do not displace the previously visible ones.
    const kept = before.filter((each) => each.tiles.size > 0).slice(0, KEPT_BEFORE);
    for (const old of before) if (!kept.includes(old)) this.dropLayer(old);
    this.lanes.set(lane, [held, ...kept]);
    return held;
  }

  private dropLayer(held: Held): void {
    this.count -= held.tiles.size;
    held.tiles.clear();
    held.shapes.clear();
    this.layers.delete(held.key);
  }

  /**
   * Stand-ins for a cell, of another resolution or from before the last change; the best comes last. `coarse` if they
   * cover all of it well enough. Of several resolutions on top of one that covers the cell, only the best is drawn.
   */
  private standIns(held: Held, cell: Cell): { tiles: [Cell, CodeTile][]; coarse: boolean } {
    const found: [Cell, CodeTile][] = [];
    let best: [Cell, CodeTile][] = [];
    const stack = this.lanes.get(laneKey(held.layer)) ?? [];
    for (const layer of stack) {
      const shapes = [...layer.shapes.values()].sort((a, b) => distance(a, cell) - distance(b, cell));
      for (const { level, rowLevel } of shapes) {
        if (2 ** (Math.max(0, cell.level - level) + Math.max(0, rowLevel - cell.rowLevel)) > MAX_PIECES) continue;
        const parts = cover(cell, level, rowLevel).filter((part) => part.column * TILE_SIDE * 2 ** level < this.frames);
        const here = parts.flatMap((part): [Cell, CodeTile][] => {
          const tile = layer.tiles.get(cellKey(part));
          return tile ? [[part, tile]] : [];
        });
        if (here.length === parts.length) return { tiles: [...here, ...best], coarse: level - cell.level <= COARSE_LEVELS };
        found.unshift(...here);
        if (best.length === 0) best = here;
      }
    }
    return { tiles: found, coarse: false };
  }

  private want(held: Held, cell: Cell, order: number): void {
    const tile = held.tiles.get(cellKey(cell));
    if (tile && (tile.exact || performance.now() < tile.retryAt)) return;
    const failedAt = this.failed.get(`${held.key} ${cellKey(cell)}`);
    if (failedAt !== undefined && performance.now() - failedAt < FAILURE_MS) return;
    this.wanted.push({ held, cell, order, seen: order !== BESIDE });
  }

  /** Wants the whole recording as one tile, which can stand in for every other. */
  private wantWhole(held: Held): void {
    const level = Math.max(0, Math.ceil(Math.log2(Math.max(1, this.frames / TILE_SIDE))));
    const cell: Cell = { level, column: 0, rowLevel: 0, row: 0 };
    if (!held.tiles.has(cellKey(cell)) && !this.wanted.some((want) => want.held === held && want.order === -1)) this.want(held, cell, -1);
  }

  /** Wants the tiles that scrolling will show next. */
  private wantBeside(held: Held, column: number, cells: { level: number; rowLevel: number; firstRow: number; lastRow: number }): void {
    if (column < 0 || column * TILE_SIDE * 2 ** cells.level >= this.frames) return;
    for (let row = cells.firstRow; row <= cells.lastRow; row++) {
      const cell: Cell = { level: cells.level, column, rowLevel: cells.rowLevel, row };
      if (!held.tiles.has(cellKey(cell))) this.want(held, cell, BESIDE);
    }
  }

  /** The most urgent cell, with wanted cells above it: one analysis serves all rows of a column. */
  private nextRun(): { held: Held; cell: Cell; rows: number } | null {
    const free = (want: Want) => !this.flying.has(`${want.held.key} ${cellKey(want.cell)}`);
    const first = this.wanted.find(free);
    if (!first) return null;
    const beside = this.wanted.filter((want) => want.held === first.held && want.cell.level === first.cell.level && want.cell.rowLevel === first.cell.rowLevel && want.cell.column === first.cell.column && free(want));
    const rows = new Set(beside.map((want) => want.cell.row));
    let [low, high] = [first.cell.row, first.cell.row];
    while (rows.has(low - 1)) low--;
    while (rows.has(high + 1)) high++;
    return { held: first.held, cell: { ...first.cell, row: low }, rows: high - low + 1 };
  }

  private async fetch(held: Held, cell: Cell, rows: number): Promise<void> {
    const cells = Array.from({ length: rows }, (_, i): Cell => ({ ...cell, row: cell.row + i }));
    const keys = cells.map((each) => `${held.key} ${cellKey(each)}`);
    for (const key of keys) this.flying.add(key);
    const request = ++numbered;
    this.requests.set(request, keys);
    try {
      const { analysis, channels, lane, side } = held.layer;
      const block = await this.ask({ analysis, channels, lane, side, level: cell.level, column_tile: cell.column, row_level: cell.rowLevel, row_tile: cell.row, row_tiles: rows, request });
      if (this.layers.get(held.key) === held && block.columns > 0) cells.forEach((each, i) => this.store(held, each, tileFrom(block, i)));
    } catch (reason) {
      // A cancelled tile is requested again when visible again; a failed one only after a while.
      if ((reason as Partial<Failure> | null)?.code !== 'cancelled') for (const key of keys) this.failed.set(key, performance.now());
    }
    this.requests.delete(request);
    for (const key of keys) this.flying.delete(key);
    // Tiles that arrived or failed are no longer wanted; the next picture finds what to request again.
    const answered = (want: Want) => keys.includes(`${want.held.key} ${cellKey(want.cell)}`);
    const inSight = this.wanted.some((want) => want.seen && answered(want));
    this.wanted = this.wanted.filter((want) => !answered(want));
    this.arrived(inSight);
  }

  private store(held: Held, cell: Cell, tile: CodeTile): void {
    if (this.closed) return;
    const key = cellKey(cell);
    const before = held.tiles.get(key);
    tile.used = ++this.clock;
    tile.tries = (before?.tries ?? 0) + 1;
    tile.retryAt = performance.now() + RETRY_MS * Math.min(8, tile.tries);
    held.tiles.set(key, tile);
    if (!before) {
      this.count++;
      const shape = held.shapes.get(`${cell.level}:${cell.rowLevel}`) ?? { level: cell.level, rowLevel: cell.rowLevel, count: 0 };
      shape.count++;
      held.shapes.set(`${cell.level}:${cell.rowLevel}`, shape);
    }
    for (let right = -1; right <= 1; right++) {
      for (let up = -1; up <= 1; up++) {
        const neighbour = right === 0 && up === 0 ? undefined : held.tiles.get(cellKey({ ...cell, column: cell.column + right, row: cell.row + up }));
        if (!neighbour) continue;
        joinTiles(tile, neighbour, right, up);
        joinTiles(neighbour, tile, -right, -up);
      }
    }
    while (this.bytes > this.mostBytes && this.dropOldest());
  }

  private dropOldest(): boolean {
    let oldest: { held: Held; key: string; used: number } | null = null;
    for (const held of this.layers.values()) {
      for (const [key, { used }] of held.tiles) if (!oldest || used < oldest.used) oldest = { held, key, used };
    }
    if (!oldest) return false;
    const { held, key } = oldest;
    held.tiles.delete(key);
    this.count--;
    const [level = 0, rowLevel = 0] = key.split(':').map(Number);
    const shape = held.shapes.get(`${level}:${rowLevel}`);
    if (shape && --shape.count === 0) held.shapes.delete(`${level}:${rowLevel}`);
    return true;
  }

  /** Redraws when a better version of a coarse tile may be requested. */
  private wakeLater(): void {
    if (this.exact || this.requests.size > 0 || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (!this.closed) this.onArrival();
    }, RETRY_MS);
  }

  /** Requests what a zoom put off once the view rests, since the picture is not redrawn by itself. */
  private fetchAtRest(): void {
    this.resting ??= setTimeout(() => {
      this.resting = null;
      if (!this.closed && this.fetchMore()) this.fetchAtRest();
    }, Math.max(0, this.zoomedAt + this.restMs - performance.now()));
  }
}

const distance = (shape: { level: number; rowLevel: number }, cell: Cell): number => {
  const coarser = shape.level - cell.level;
  // A coarser picture is better than scraps of a finer one.
  return (coarser >= 0 ? coarser : -1.5 * coarser) + Math.abs(shape.rowLevel - cell.rowLevel);
};
