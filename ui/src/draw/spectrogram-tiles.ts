// The tiles of a recording's spectrograms: kept under a cap, asked for visible first, and stood in for while they come.

import { TILE_SIDE, type CodeBlock } from '../backend';
import type { Failure, LaneChannels, Side, SpectrogramAnalysis, SpectrogramTile } from '../bindings';
import { span } from '../lib/view';
import { cellsOf, cover, patchOf, type Cell, type Patch, type Window } from './spectrogram-grid';
import { joinTiles, TILE_BYTES, tileFrom, type CodeTile } from './spectrogram-tile';

const MAX_BYTES = 128 * 2 ** 20;
/** The most that a document keeps while it is not in front. */
const RESTING_BYTES = 16 * 2 ** 20;
/** Both lanes of two columns are made at a time; the next wait for them there, not for an answer to come here first. */
const MAX_IN_FLIGHT = 6;
/** While the view moves a core is left to the window, which draws, and to the system, which brings that to the screen. */
const MAX_WHILE_MOVING = Math.max(1, Math.min(MAX_IN_FLIGHT, (globalThis.navigator?.hardwareConcurrency ?? 2) - 1));
/** A view that has not moved for so long rests, or for longer if it moves more seldom, as where frames take long. */
const REST_MS = 40;
/** Moves further apart than this are not one movement. */
const APART_MS = 250;
/** Pieces of one stand-in. */
const MAX_PIECES = 16;
/** When what scrolling will show is asked for: after what is missing in sight, before what is coarse there. */
const BESIDE = 500;
/** How many former settings or chains are kept, to stand in while the tiles of the new ones come. */
const KEPT_BEFORE = 2;
/** A stand-in coarser than this many doublings shows too little to take the place of another picture. */
const COARSE_LEVELS = 4;
const RETRY_MS = 150;
/** While tiles keep coming a picture is drawn no more often than this, as each costs as much time as some tiles: one in which something is still missing altogether, and one that has stand-ins everywhere. */
const DRAW_MISSING_MS = 60;
const DRAW_COVERED_MS = 300;
const FAILURE_MS = 4000;

/** The sound and the analysis that a lane's tiles are made from. */
export interface Layer {
  analysis: SpectrogramAnalysis;
  channels: LaneChannels;
  lane: number;
  side: Side;
  /** The chain as text, which the processed side depends on. */
  chain: string;
}

interface Held {
  layer: Layer;
  key: string;
  tiles: Map<string, CodeTile>;
  /** How many tiles there are of each fineness. */
  shapes: Map<string, { level: number; rowLevel: number; count: number }>;
}

interface Want {
  held: Held;
  cell: Cell;
  /** The less, the sooner. */
  order: number;
  /** Whether it is in sight, not merely beside it. */
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
  /** Cells that are on their way, and the requests that bring them. */
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
  /** Whether everything drawn since `begin` was the answer itself. */
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

  /** A picture begins: what the last one lacked is forgotten. */
  begin(): void {
    this.wanted = [];
    this.exact = true;
    this.covered = true;
  }

  /** The patches of a lane, in the order in which they are drawn; notes what is missing. */
  patches(layer: Layer, window: Window): Patch[] {
    this.watch(window);
    return this.collect(this.held(layer), window, true);
  }

  /** The patches that there are of a lane that was looked at before; nothing is asked for. */
  patchesHeld(layer: Layer, window: Window): Patch[] {
    const held = this.layers.get(keyOf(layer));
    return held ? this.collect(held, window, false) : [];
  }

  /** Notes when the view was moved and zoomed. */
  private watch(window: Window): void {
    const { seen } = this;
    this.seen = window;
    if (!seen) return;
    const now = performance.now();
    if (seen.view.start !== window.view.start || seen.axis.bottom !== window.axis.bottom) this.moves(now);
    // A view that scrolls is as wide as before but for a rounding.
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
          // A tile that could not be had is not waited for.
          if (!instead.coarse && !this.failed.has(`${held.key} ${cellKey(cell)}`)) this.covered = false;
        }
        if (tile?.exact) continue;
        this.exact = false;
        if (!asking) continue;
        // Missing cells come before coarse ones; from the middle outwards.
        this.want(held, cell, (tile ? 1000 : 0) + Math.abs(column - middle));
      }
    }
    if (asking) {
      this.wantBeside(held, cells.firstColumn - 1, cells);
      this.wantBeside(held, cells.lastColumn + 1, cells);
    }
    return found;
  }

  /** A picture is drawn: asks for what it lacked. */
  end(): void {
    this.wanted.sort((a, b) => a.order - b.order);
    this.giveUp();
    const putOff = this.fetchMore();
    const now = performance.now();
    this.drawnAt = now;
    if (putOff) this.fetchAtRest();
    else this.wakeLater();
  }

  /** Asks for what was found missing, as much at a time as may be; true when that is put off. */
  private fetchMore(): boolean {
    const now = performance.now();
    // A zoom passes each fineness in a few frames: what is there stands in for it until the view rests.
    const putOff = now - this.zoomedAt < this.restMs && this.covered;
    const most = putOff ? 0 : now - this.movedAt < this.restMs ? MAX_WHILE_MOVING : MAX_IN_FLIGHT;
    while (this.requests.size < most) {
      const run = this.nextRun();
      if (!run) break;
      void this.fetch(run.held, run.cell, run.rows);
    }
    return putOff;
  }

  /** Something came, or failed: the next is asked for at once; drawn is now and then, and when all is there that is in sight. */
  private arrived(inSight: boolean): void {
    if (this.closed) return;
    this.fetchMore();
    // A tile that only scrolling will show changes nothing of the picture, but a coarse one may wait for the last of it.
    if (!inSight) return this.wakeLater();
    const since = performance.now() - this.drawnAt;
    const complete = !this.wanted.some((want) => want.seen);
    if (complete || since >= (this.covered ? DRAW_COVERED_MS : DRAW_MISSING_MS)) this.onArrival();
  }

  /** Nobody looks any more: only what was used last is kept. */
  rest(): void {
    while (this.bytes > RESTING_BYTES && this.dropOldest());
  }

  /** Cancels what is on its way but no longer to be seen. */
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

  /** The recording was edited: what is here lies elsewhere now, or nowhere. */
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
    // Settings that were passed through so fast that nothing of them came leave what was seen before them in place.
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
   * Tiles that stand in for a cell, in another fineness or from before the last change; the best comes last. `coarse` when they
   * cover all of it well enough. Of the many finenesses that stand over one that has all of it only the best is drawn.
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

  /** The whole recording as one tile, which stands in for everything else. */
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

  /** The most urgent cell, with those above it that are wanted too: one analysis serves all rows of a column. */
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
      // A cancelled tile is asked for again when it is seen again; one that failed rests a while.
      if ((reason as Partial<Failure> | null)?.code !== 'cancelled') for (const key of keys) this.failed.set(key, performance.now());
    }
    this.requests.delete(request);
    for (const key of keys) this.flying.delete(key);
    // Tiles that came, or will not for now, are wanted no more; the next picture finds what is to be asked for again.
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

  /** Draws again when a coarse answer may be asked for anew. */
  private wakeLater(): void {
    if (this.exact || this.requests.size > 0 || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (!this.closed) this.onArrival();
    }, RETRY_MS);
  }

  /** Asks for what a zoom put off once the view rests: the picture that found it missing still stands. */
  private fetchAtRest(): void {
    this.resting ??= setTimeout(() => {
      this.resting = null;
      if (!this.closed && this.fetchMore()) this.fetchAtRest();
    }, Math.max(0, this.zoomedAt + this.restMs - performance.now()));
  }
}

const distance = (shape: { level: number; rowLevel: number }, cell: Cell): number => {
  const coarser = shape.level - cell.level;
  // A coarser picture hides less than the scraps of a finer one.
  return (coarser >= 0 ? coarser : -1.5 * coarser) + Math.abs(shape.rowLevel - cell.rowLevel);
};
