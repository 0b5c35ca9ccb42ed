import { describe, expect, it, vi } from 'vitest';
import AppView from '../src/App.svelte';
import { ROW, scrolledTo, slots } from '../src/lib/virtual-rows';
import { App } from '../src/state/app.svelte';
import { BLOCK, TrackRows, type AskRows } from '../src/pages/library/state/track-rows.svelte';
import { TrackSelection } from '../src/pages/library/state/track-selection.svelte';
import { TrackTable } from '../src/pages/library/state/track-table.svelte';
import type { TrackItem } from '../src/bindings';
import { manyTracks, type ManyTracks } from './many-tracks';
import { by, elementsAreHigh, eventually, settle, show, until } from './mounted';
import { recorded, TRACK, tracksOf } from './recorded';

const row = (id: number) => ({ id }) as TrackItem;
const turn = () => new Promise((done) => setTimeout(done));
const NONE = { shift: false, ctrl: false };

describe('rows that stand in the document', () => {
  it.each([
    [0, 600],
    [1, 600],
    [28 * 50_000 + 13, 600],
    [28 * 100_000, 600],
    [5_000_000, 1400],
    [0, 0],
  ])('at %d px of %d px height are few, without gaps and each once', (top, height) => {
    const total = 100_000;
    const { first, rows } = slots(Math.min(top, total * ROW - height), height, total);
    const seen = Math.min(top, total * ROW - height);
    expect(rows.length).toBeLessThan(height / ROW + 20);
    expect(rows.toSorted((a, b) => a - b)).toEqual(rows.map((_, at) => first + at));
    expect(first).toBeLessThanOrEqual(Math.floor(seen / ROW));
    expect(first + rows.length).toBeGreaterThanOrEqual(Math.min(total, Math.ceil((seen + height) / ROW)));
  });

  it('go round: one row further changes what one element shows', () => {
    const before = slots(28 * 500, 600, 100_000).rows;
    const after = slots(28 * 501, 600, 100_000).rows;
    expect(after.filter((each, slot) => each !== before[slot]).length).toBe(1);
  });

  it('are all of a short list, and none of an empty one', () => {
    expect(slots(0, 600, 3).rows).toEqual([0, 1, 2]);
    expect(slots(0, 600, 0).rows).toEqual([]);
  });

  it('scroll as little as it takes', () => {
    expect(scrolledTo(10, 0, 600)).toBe(0);
    expect(scrolledTo(50, 0, 600)).toBe(51 * ROW - 600);
    expect(scrolledTo(3, 1000, 600)).toBe(3 * ROW);
  });
});

describe('blocks of rows', () => {
  const total = 100_000;
  const pageFrom = (base: number): AskRows => async (offset, limit) => ({ total, offset, rows: Array.from({ length: Math.min(limit, total - offset) }, (_, at) => row(base + offset + at)) });

  it('are fetched where they are seen, and kept only as many as are needed', async () => {
    const ask = vi.fn(pageFrom(0));
    const rows = new TrackRows(ask, () => undefined);
    await rows.restart(ask);
    for (let block = 0; block < 200; block++) {
      rows.need(block * BLOCK, block * BLOCK + 40);
      await turn();
      await turn();
    }
    expect(rows.at(199 * BLOCK + 5)?.id).toBe(199 * BLOCK + 5);
    const kept = Array.from({ length: 200 }, (_, block) => rows.at(block * BLOCK)).filter((each) => each !== null);
    expect(kept.length).toBeLessThanOrEqual(40);
    expect(rows.at(0)).toBeNull();
  });

  it('of an earlier question are dropped when they come late', async () => {
    let late: (() => void) | null = null;
    const slow: AskRows = async (offset, limit) => {
      if (offset > 0) await new Promise<void>((done) => (late = done));
      return pageFrom(0)(offset, limit);
    };
    const rows = new TrackRows(slow, () => undefined);
    await rows.restart(slow);
    rows.need(BLOCK * 4, BLOCK * 4 + 10);
    await turn();
    await rows.restart(pageFrom(1_000_000));
    rows.need(BLOCK * 4, BLOCK * 4 + 10);
    await turn();
    late!();
    await turn();
    expect(rows.at(BLOCK * 4)?.id).toBe(1_000_000 + BLOCK * 4);
    expect(rows.at(0)?.id).toBe(1_000_000);
  });

  it('answer the last of two questions, whichever comes first', async () => {
    let first: (() => void) | null = null;
    const rows = new TrackRows(pageFrom(0), () => undefined);
    const slow = rows.restart(async (offset, limit) => {
      await new Promise<void>((done) => (first = done));
      return pageFrom(5_000_000)(offset, limit);
    });
    await rows.restart(pageFrom(2_000_000));
    first!();
    await slow;
    expect(rows.at(0)?.id).toBe(2_000_000);
  });

  it('that pass by unseen are not fetched', async () => {
    const ask = vi.fn(pageFrom(0));
    const rows = new TrackRows(ask, () => undefined);
    await rows.restart(ask);
    ask.mockClear();
    for (let block = 1; block < 300; block++) rows.need(block * BLOCK, block * BLOCK + 40);
    for (let i = 0; i < 10; i++) await turn();
    expect(ask.mock.calls.length).toBeLessThan(12);
    expect(rows.at(299 * BLOCK)?.id).toBe(299 * BLOCK);
  });

  it('that fail are told of once, and the others come', async () => {
    const failed = vi.fn();
    const ask: AskRows = async (offset, limit) => {
      if (offset === BLOCK) throw new Error('unreadable');
      return pageFrom(0)(offset, limit);
    };
    const rows = new TrackRows(ask, failed);
    await rows.restart(ask);
    rows.need(BLOCK, BLOCK + 40);
    for (let i = 0; i < 6; i++) await turn();
    expect(failed).toHaveBeenCalledTimes(1);
    expect(rows.at(BLOCK * 2)?.id).toBe(BLOCK * 2);
  });
});

describe('a selection', () => {
  it('of all is no list, and lets single tracks out', () => {
    const selection = new TrackSelection();
    selection.everything();
    expect(selection.numbers).toBeNull();
    expect(selection.count(100_000)).toBe(100_000);
    selection.toggle(5);
    expect([selection.has(5), selection.has(6), selection.count(100_000)]).toEqual([false, true, 99_999]);
    selection.add([5]);
    expect(selection.count(100_000)).toBe(100_000);
  });

  it('of some is by number', () => {
    const selection = new TrackSelection();
    selection.only([1, 2]);
    selection.toggle(2);
    selection.toggle(9);
    expect(selection.numbers).toEqual([1, 9]);
    selection.clear();
    expect(selection.count(10)).toBe(0);
  });
});

/** Recorded tracks, and how often each stands in the table: some three thousand rows. */
const RECORDED = 55;
const many = (times: number): ManyTracks => ({ times, before: [] });
const ROWS = RECORDED * 60;

async function opened(): Promise<{ app: App; library: ManyTracks; table: TrackTable; scrolled: number[] }> {
  const library = many(60);
  const app = new App(manyTracks(recorded('library'), library));
  await app.start();
  app.showPage('library');
  await app.library.load();
  const scrolled: number[] = [];
  const table = new TrackTable(app.library, {
    scrollTo(top) {
      scrolled.push(top);
      table.scrolled(top);
    },
    scrollSideways: () => undefined,
    openMenu: () => undefined,
  });
  table.height = 560;
  table.fetch();
  await turn();
  return { app, library, table, scrolled };
}

describe('the table by keys and clicks', () => {
  it('selects a row, a range, single ones and all', async () => {
    const { app, table } = await opened();
    const { selection } = app.library;
    table.click(2, NONE);
    expect(app.library.current).toBe(app.library.rows.at(2)?.id);
    table.click(5, { shift: true, ctrl: false });
    await turn();
    expect(selection.count(ROWS)).toBe(4);
    table.click(3, { shift: false, ctrl: true });
    expect(selection.count(ROWS)).toBe(3);
    expect(selection.has(app.library.rows.at(3)?.id ?? 0)).toBe(false);
    await table.moveTo(0, NONE);
    await table.moveTo(ROWS - 1, { shift: true, ctrl: false });
    expect(selection.all).toBe(true);
  });

  it('extends a range over rows that are not here yet', async () => {
    const { app, table } = await opened();
    table.click(1, NONE);
    await table.moveTo(1500, { shift: true, ctrl: false });
    await eventually(() => expect(app.library.selection.count(ROWS)).toBe(1500));
    expect(table.scrollTop).toBe(1501 * ROW - 560);
  });

  it('goes by arrows, pages and to the ends, and moves without selecting with Ctrl', async () => {
    const { app, table } = await opened();
    const press = async (key: string, held = NONE) => {
      expect(table.key(key, held)).toBe(true);
      await eventually(() => expect(app.library.current).not.toBeNull());
      await turn();
    };
    await press('ArrowDown');
    expect(table.index).toBe(0);
    await press('PageDown');
    expect(table.index).toBe(19);
    await press('End');
    expect(table.index).toBe(ROWS - 1);
    await press('Home');
    const chosen = app.library.selection.numbers;
    await press('ArrowDown', { shift: false, ctrl: true });
    expect(table.index).toBe(1);
    expect(app.library.selection.numbers).toEqual(chosen);
    expect(table.key('Escape', NONE)).toBe(false);
  });

  it('goes to what begins with the letters that are typed, in either order', async () => {
    const { app, table } = await opened();
    await table.type('s', 0);
    await table.type('a', 100);
    const at = table.index ?? 0;
    const [before, found] = await app.library.between(at - 1, at + 1);
    expect(found?.artist?.toLowerCase().startsWith('sa')).toBe(true);
    expect((before?.artist ?? '').toLowerCase() < 'sa').toBe(true);
    await app.library.sortBy([{ column: 'title', descending: true }]);
    await table.type('m', 5000);
    const title = (await app.library.between(table.index ?? 0, (table.index ?? 0) + 1))[0]?.title ?? '';
    expect(title.toLowerCase().startsWith('m')).toBe(true);
  });

  it('keeps what is looked at in its place when rows come in before it', async () => {
    const { app, library, table, scrolled } = await opened();
    table.scrolled(1000 * ROW);
    table.fetch();
    await eventually(() => expect(app.library.rows.at(1000)).not.toBeNull());
    const looked = app.library.rows.at(1000);
    library.before = Array.from({ length: 30 }, (_, at) => ({ ...TRACK, id: 9000 + at, artist: 'AAA' }));
    await table.refresh();
    expect(scrolled.at(-1)).toBe(1030 * ROW);
    expect(app.library.rows.at(1030)?.id).toBe(looked?.id);
    expect(app.library.rows.total).toBe(ROWS + 30);
  });

  it('leaves rows empty while the list races past, not after a single jump', async () => {
    const { app, table } = await opened();
    table.scrolled(600, 1000);
    expect(table.racing).toBe(false);
    table.scrolled(9000, 1010);
    expect([table.racing, table.row(1)]).toEqual([true, null]);
    await eventually(() => expect(table.racing).toBe(false));
    expect(table.row(1)?.id).toBe(app.library.rows.at(1)?.id);
    table.scrolled(0, 5000);
    table.scrolled(28, 5010);
    expect(table.racing).toBe(false);
  });

  it('shows a track that another view asks for, and says nothing of one that does not answer', async () => {
    const { app, table } = await opened();
    const far = (await app.library.between(2500, 2501))[0];
    await app.library.showTrack(far?.id ?? 0);
    await table.reveal();
    expect(table.index).toBe(2500);
    await app.library.ask('bpm:>1000', []);
    await table.reveal();
    expect(table.index).toBeNull();
  });
});

describe('the table on the screen', () => {
  elementsAreHigh(588);
  const shown = () => [...document.querySelectorAll<HTMLElement>('[data-index]')];

  it('holds a hundred thousand rows in a few dozen elements, the right ones after a jump', async () => {
    const app = new App(manyTracks(recorded('library'), many(2000)));
    show(AppView, { app });
    await until(() => app.ready);
    await settle();
    by('page-library').click();
    await eventually(() => expect(app.library.rows.total).toBe(RECORDED * 2000));
    await settle();
    const grid = by('track-table');
    expect(grid.getAttribute('aria-rowcount')).toBe(String(RECORDED * 2000 + 1));
    expect(shown().length).toBeGreaterThan(20);
    expect(shown().length).toBeLessThan(60);
    const elements = new Set(shown());
    grid.scrollTop = 61_234 * ROW;
    grid.dispatchEvent(new Event('scroll'));
    await settle();
    await settle();
    expect(shown().every((element) => elements.has(element))).toBe(true);
    const element = document.getElementById('track-61240');
    const expected = (await tracksOf(recorded('library')))[Math.floor(61_240 / 2000)];
    expect(element?.getAttribute('aria-rowindex')).toBe('61242');
    expect(element?.textContent).toContain(expected?.title ?? expected?.name);
  });
});
