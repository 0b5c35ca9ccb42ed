import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import type { Replay } from '../src/backend/replay';
import { gridTemplate } from '../src/pages/library/lib/track-columns';
import { App } from '../src/state/app.svelte';
import { LibraryQuery } from '../src/pages/library/state/library-query.svelte';
import { TrackPageState } from '../src/pages/library/state/track-page.svelte';
import { by, elementsAreHigh, eventually, find, key, settle, show } from './mounted';
import { recorded, tracksOf, type Scene } from './recorded';

// The test's document has no canvas and no layout; what is drawn is looked at in the real window.
elementsAreHigh(588);

/** Tracks of the scene's library. */
const TRACKS = 55;

async function start(scene: Scene = 'library'): Promise<{ app: App; backend: Replay }> {
  const backend = recorded(scene);
  const app = new App(backend);
  show(AppView, { app });
  await settle();
  by('page-library').click();
  await settle();
  await settle();
  return { app, backend };
}

const heads = () => [...document.querySelectorAll('[data-testid^="head-"]')].map((head) => head.getAttribute('data-testid')?.slice(5));
const rowAt = (index: number) => document.getElementById(`track-${index}`)!;
const press = (element: Element, init: MouseEventInit = {}) => {
  element.dispatchEvent(new MouseEvent('pointerdown', { bubbles: true, ...init }));
  flushSync();
};

describe('the pages', () => {
  it('change by key and by button, keep the bars, and are remembered', async () => {
    const { app } = await start();
    expect(by('page-library').getAttribute('aria-current')).toBe('page');
    expect(find('library')).not.toBeNull();
    key(document.body, '1', { ctrlKey: true });
    await settle();
    expect(find('library')).toBeNull();
    expect(find('empty-state')).not.toBeNull();
    expect(find('play')).not.toBeNull();
    key(document.body, '2', { ctrlKey: true });
    await settle();
    expect(find('library')).not.toBeNull();
    await eventually(() => expect(app.settings.now.panes['library']).toBe(1));
  });

  it('say what becomes of what is dropped', async () => {
    const { app } = await start();
    app.dropHover = true;
    await settle();
    expect(document.querySelector('.drop')?.textContent).toBe('Drop folders to add them, recordings to open them');
    app.showPage('editor');
    await settle();
    expect(document.querySelector('.drop')?.textContent).toBe('Drop to open');
  });

  it('open a track of the library in the editor', async () => {
    const { app } = await start();
    press(rowAt(3));
    await settle();
    key(by('track-table'), 'Enter');
    await settle();
    expect(app.page).toBe('editor');
    expect(app.documents.active?.data.name).toBe(app.library.rows.at(3)?.name);
  });

  it('keep each other’s keys apart', async () => {
    const { app } = await start();
    await app.documents.open('demo');
    await settle();
    app.showPage('library');
    await settle();
    key(document.body, 'a', { ctrlKey: true });
    expect(app.library.selection.all).toBe(true);
    expect(app.documents.active?.selection).toBeNull();
    key(document.body, 'Escape');
    expect(app.library.selection.count(TRACKS)).toBe(0);
  });
});

describe('the table of the library', () => {
  it('gives rows, heads and cells their places for those who do not see them', async () => {
    await start();
    const grid = by('track-table');
    expect(grid.getAttribute('role')).toBe('grid');
    expect(grid.getAttribute('aria-rowcount')).toBe(String(TRACKS + 1));
    expect(grid.getAttribute('aria-colcount')).toBe(String(heads().length + 1));
    grid.focus();
    key(grid, 'ArrowDown');
    key(grid, 'ArrowDown');
    await settle();
    expect(grid.getAttribute('aria-activedescendant')).toBe('track-1');
    expect(rowAt(1).getAttribute('aria-selected')).toBe('true');
    expect(rowAt(1).getAttribute('aria-rowindex')).toBe('3');
    expect([...rowAt(1).querySelectorAll('[role="gridcell"]')].map((cell) => cell.getAttribute('aria-colindex'))).toEqual(Array.from({ length: heads().length + 1 }, (_, at) => String(at + 1)));
    expect(by('head-title').getAttribute('aria-sort')).toBe('none');
  });

  it('says in words where a track stands', async () => {
    const { app, backend } = await start();
    const place = (await tracksOf(backend)).findIndex((item) => item.state === 'failed');
    await app.library.ask('state:failed', []);
    await settle();
    expect(place).toBeGreaterThan(-1);
    expect(rowAt(0).textContent).toContain('Failed');
    expect(rowAt(0).querySelector('[role="gridcell"]')?.getAttribute('aria-label')).toBe(`Failed: ${app.library.rows.at(0)?.reason}`);
  });

  it('sorts by a click, by more with Shift, and back', async () => {
    const { app } = await start();
    const head = (name: string) => by(`head-${name}`).querySelector('button')!;
    head('duration_s').click();
    await settle();
    expect(by('head-duration_s').getAttribute('aria-sort')).toBe('ascending');
    const lengths = [0, 5, 20].map((at) => app.library.rows.at(at)?.duration_s ?? 0);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    head('title').dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }));
    await settle();
    expect(app.settings.now.library.sort).toEqual([{ column: 'duration_s', descending: false }, { column: 'title', descending: false }]);
    expect(head('title').getAttribute('aria-label')).toContain('order 2');
    head('title').click();
    await settle();
    head('title').click();
    await settle();
    head('title').click();
    await settle();
    expect(app.settings.now.library.sort).toEqual([]);
  });

  it('moves and sizes columns by keys, and shows those that are chosen', async () => {
    const { app } = await start();
    const before = heads();
    const head = by('head-artist').querySelector('button')!;
    head.focus();
    key(head, 'ArrowRight', { altKey: true });
    await settle();
    expect(heads().slice(0, 3)).toEqual(['title', 'album', 'artist']);
    key(by('head-artist').querySelector('button')!, 'ArrowLeft', { altKey: true });
    await settle();
    expect(heads()).toEqual(before);
    const width = app.library.widthOf(app.library.shown[1]!);
    key(by('head-artist').querySelector('button')!, 'ArrowRight', { shiftKey: true });
    expect(app.library.widthOf(app.library.shown[1]!)).toBe(width + 8);
    app.library.setColumns(['key', 'flatness', 'no such column']);
    await settle();
    expect(heads()).toEqual(['key', 'flatness']);
    expect(gridTemplate(['title', 'artist'].map((name) => app.library.columns.get(name)!), { title: 90 })).toBe('24px 90px minmax(54px, 120fr) 0');
    await eventually(() => expect(app.settings.now.panes['column_artist']).toBe(width + 8));
  });

  it('plays and stops the current row by the space bar', async () => {
    const { app } = await start();
    await app.library.ask('state:done', []);
    await settle();
    press(rowAt(2));
    key(by('track-table'), ' ');
    await settle();
    expect(app.library.heard).toBe(app.library.rows.at(2)?.id);
    expect(rowAt(2).querySelector('[role="gridcell"]')?.getAttribute('aria-label')).toBe('Playing');
    key(by('track-table'), ' ');
    await settle();
    expect(app.library.heard).toBeNull();
  });

  it('keeps a selection that the other button is pressed in, and asks before anything goes to the bin', async () => {
    const { app } = await start();
    press(rowAt(1));
    press(rowAt(4), { shiftKey: true });
    press(rowAt(2), { button: 2 });
    expect(app.library.selection.count(TRACKS)).toBe(4);
    key(by('track-table'), 'Delete');
    await settle();
    expect(app.library.questions.bin.phase).toBe('asking');
    expect(app.library.questions.bin.going).toHaveLength(4);
  });

  it('does not open hundreds of tracks at once', async () => {
    const { app } = await start();
    app.library.selection.everything();
    await app.library.openChosen();
    expect(app.page).toBe('library');
    expect(app.notices.toasts.at(-1)?.message).toContain('too many');
  });
});

describe('the search field', () => {
  const type = async (words: string) => {
    const input = by<HTMLInputElement>('library-query');
    input.focus();
    input.value = words;
    input.setSelectionRange(words.length, words.length);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => setTimeout(done, 220));
    await settle();
  };

  it('asks while one types and counts what answers', async () => {
    const { app, backend } = await start();
    await type('bpm:118..122 ');
    const expected = (await tracksOf(backend)).filter((item) => (item.features[10] ?? 0) >= 118 && (item.features[10] ?? 0) <= 122).length;
    expect(app.library.rows.total).toBe(expected);
    expect(by('query-count').textContent).toBe(`${expected} of ${TRACKS} tracks`);
  });

  it('shows what is wrong where it is wrong, keeps the rows, and offers what is near', async () => {
    const { app } = await start();
    await type('jazz tempi:>3');
    expect(by('library-query').getAttribute('aria-invalid')).toBe('true');
    expect(document.querySelector('.query mark')?.textContent).toBe('tempi');
    expect(by('query-problem').textContent).toContain('There is no field `tempi`');
    expect(app.library.rows.total).toBe(TRACKS);
    by('query-problem').querySelector('button')!.click();
    await new Promise((done) => setTimeout(done, 220));
    await settle();
    expect(by<HTMLInputElement>('library-query').value).toBe('jazz tempo:>3');
    expect(by('library-query').getAttribute('aria-invalid')).toBe('false');
  });

  it('completes fields and values by keys', async () => {
    await start();
    await type('loud');
    const input = by<HTMLInputElement>('library-query');
    expect(input.getAttribute('aria-expanded')).toBe('true');
    key(input, 'ArrowDown');
    const chosen = document.getElementById(input.getAttribute('aria-activedescendant') ?? '');
    expect(chosen?.getAttribute('aria-selected')).toBe('true');
    const words = chosen?.querySelector('.text')?.textContent ?? '';
    key(input, 'Enter');
    await settle();
    expect(input.value).toBe(words);
    key(input, 'Escape');
    key(input, 'Escape');
    await settle();
    expect(input.value).toBe('');
  });

  it('comes to hand by Ctrl+F, and is emptied where nothing answers', async () => {
    const { app } = await start();
    key(document.body, 'f', { ctrlKey: true });
    await settle();
    expect(document.activeElement?.id).toBe('library-query');
    await type('no such words anywhere');
    expect(by('library-none').textContent).toContain('No matches');
    by('library-clear').click();
    await settle();
    expect(app.library.rows.total).toBe(TRACKS);
    expect(by<HTMLInputElement>('library-query').value).toBe('');
  });

  it('counts a place after signs that take several bytes', async () => {
    const { app } = await start();
    const query = new LibraryQuery(app);
    query.typed('Étude "𝄞" nofield:3', 19);
    await new Promise((done) => setTimeout(done, 220));
    await settle();
    expect(query.spanned?.inside).toBe('nofield');
  });
});

describe('folders and scan', () => {
  it('say what is not reached, and ask before a folder is taken out', async () => {
    const { app } = await start('library-unreachable');
    expect(by('folder-2').textContent).toContain('Not reachable');
    by('folder-remove-2').click();
    await settle();
    expect(by('folder-2').textContent).toContain('No file is changed.');
    by('folder-remove-sure').click();
    await settle();
    expect(app.library.view?.folders.map((folder) => folder.id)).toEqual([1]);
  });

  it('show a scan on both pages, let it pause, go on and end', async () => {
    const { app, backend } = await start();
    by('scan-start').click();
    await settle();
    expect(by('scan-progress').textContent).toContain('Searching folders');
    expect(find('scan-bar')).toBeNull();
    await eventually(() => expect(app.library.scan?.phase).toBe('analysing'));
    await settle();
    expect(by('scan-bar').getAttribute('max')).toBe('100');
    app.showPage('editor');
    await settle();
    expect(by('scan-readout').textContent).toContain('Analysing');
    by('scan-readout').click();
    // The page is put together anew, which takes its time on a busy machine.
    await eventually(() => expect(find('scan-pause')).not.toBeNull());
    by('scan-pause').click();
    await eventually(() => expect(find('scan-resume')).not.toBeNull());
    const { counts } = app.library.view!;
    backend.emit({ kind: 'scan', counts, scan: { ...app.library.scan!, phase: 'held', fault: 'the disk is full', device: { requested: 'gpu:0', used: 'cpu', name: 'Two cores', reason: 'gpu:0 was lost', fallback: true } } });
    await settle();
    expect(by('scan-fault').textContent).toBe('Waiting: the disk is full');
    expect(by('scan-device').textContent).toContain('Analysing on Two cores');
    expect(by('scan-device').textContent).toContain('gpu:0 was lost');
    by('scan-cancel').click();
    await eventually(() => expect(find('scan-summary')?.textContent).toContain('Cancelled'));
  });

  it('list what could not be analysed with the reason, and try it again', async () => {
    const { app, backend } = await start();
    const failed = (await tracksOf(backend)).filter((item) => item.state === 'failed');
    by('problems').click();
    await settle();
    expect(by(`problem-${failed[0]!.id}`).textContent).toContain(failed[0]!.reason);
    by('count-failed').click();
    await settle();
    expect(app.library.rows.total).toBe(failed.length);
    by('retry-all').click();
    await settle();
    // They are tried, and fail again.
    expect(app.library.scan?.failed).toBe(0);
    await eventually(() => expect(app.library.scan?.failed).toBe(failed.length));
  });

  it('say why the folders are not watched', async () => {
    const { app, backend } = await start('library-unreachable');
    by('scan-watch').click();
    await eventually(() => expect(app.library.view?.watched).toBe(true));
    // A system has only so many watches.
    backend.emit({ kind: 'library_changed', library: { ...app.library.view!, watched: true, watch_problem: 'no watches left' } });
    await eventually(() => expect(by('watch-problem').textContent).toContain('Not watched'));
  });
});

describe('a track’s page', () => {
  it('says what is known: pictures, dimensions with their missing ones, tags and place', async () => {
    const { app } = await start();
    const item = (await app.library.between(0, TRACKS)).find((row) => row.state === 'done' && row.features[10] === null && (row.duration_s ?? 0) > 15)!;
    await app.library.showTrack(item.id);
    await eventually(() => expect(by('track-title').textContent).toBe(item.title ?? item.name));
    await settle();
    for (const name of ['loudness', 'chroma', 'tempogram']) expect(by(`series-${name}`).getAttribute('role')).toBe('slider');
    expect(document.querySelectorAll('[data-testid^="dimension-"]').length).toBe(25);
    expect(by('dimension-tempo_bpm').textContent).toContain('nothing begins in it');
    expect(by('dimension-loudness_lufs').textContent).toContain('LUFS');
    expect(by('track-path').textContent).toBe(`${item.folder}/${item.name}`);
    key(by('series-loudness'), 'PageUp');
    key(by('series-loudness'), 'Enter');
    await settle();
    expect(app.library.heard).toBe(item.id);
    expect(app.player.auditionAt()).toBeGreaterThanOrEqual(10);
  });

  it('shows the last of several that are asked for', async () => {
    const { app } = await start();
    const shown = new TrackPageState(app);
    await Promise.all([shown.load(1), shown.load(2), shown.load(3)]);
    expect(shown.page?.item.id).toBe(3);
    await shown.load(999_999);
    expect([shown.page, shown.failure]).toEqual([null, 'This track no longer exists.']);
  });

  it('says why there is nothing to show', async () => {
    const { app } = await start();
    const failed = (await app.library.between(0, TRACKS)).find((row) => row.state === 'failed')!;
    await app.library.showTrack(failed.id);
    await eventually(() => expect(by('track-failed').textContent).toContain(failed.reason));
    expect(find('dimensions')).toBeNull();
  });
});

describe('a library', () => {
  it('without folders invites to add some', async () => {
    const { app } = await start('library-empty');
    expect(by('library-empty').textContent).toContain('Add folders');
    by('library-empty-add').click();
    await settle();
    expect(app.library.view?.folders.length).toBe(2);
    expect(find('track-table')).not.toBeNull();
  });

  it('that cannot be opened says why', async () => {
    await start('library-broken');
    expect(by('library-failure').textContent).toContain('The library database cannot be used');
  });

  it('gives every control a name', async () => {
    const { app } = await start();
    press(rowAt(1));
    await app.library.showTrack(app.library.rows.at(1)?.id ?? 0);
    by('scan-start').click();
    await settle();
    await settle();
    const nameless = [...document.querySelectorAll('button, input, textarea, progress, [role="slider"], [role="separator"]:not(.menu-line), [role="grid"], [role="tabpanel"], [role="tablist"], aside, section')].filter((element) => {
      const labelled = element.getAttribute('aria-label') || element.textContent?.trim() || element.closest('label')?.textContent?.trim();
      return !labelled;
    });
    expect(nameless.map((element) => element.outerHTML.slice(0, 120))).toEqual([]);
  });
});
