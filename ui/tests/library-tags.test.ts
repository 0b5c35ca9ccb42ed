import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import type { TagFileView } from '../src/bindings';
import { tagCells, tagColumns } from '../src/pages/library/lib/tag-cells';
import { App } from '../src/state/app.svelte';
import { by, elementsAreHigh, find, show, until } from './mounted';
import { recorded, tracksOf } from './recorded';

elementsAreHigh(400);

const rows = (): string[] => [...by('tags-files').querySelectorAll('[role="listitem"]')].map((row) => row.textContent ?? '');
const rowOf = (name: string): string => rows().find((row) => row.includes(name)) ?? '';

async function start(): Promise<App> {
  const app = new App(recorded('library-tags'));
  show(AppView, { app });
  await until(() => app.ready);
  app.showPage('library');
  await until(() => app.library.view !== null && app.library.rows.total !== null);
  return app;
}

async function preview(app: App): Promise<void> {
  await app.library.showTags();
  await until(() => find('tags-preview'));
  by('tags-preview').click();
  await until(() => find('tags-files') && !app.library.questions.tags.busy);
}

describe('writing tags', () => {
  it('shows what is there and what would be written, or why nothing is, and changes nothing by that', async () => {
    const app = await start();
    await preview(app);
    expect(rows()).toHaveLength(5);
    expect(rowOf('01 Mirror.flac')).toContain('Key none becomes');
    expect(rowOf('02 Echo.flac')).toMatch(/Tempo 77 becomes/);
    expect(rowOf('04 Waltz.flac')).toContain('has changed since it was analysed');
    expect(rowOf('05 letter.flac')).toContain('It is not analysed');
    // Those of one kind alone.
    by('tags-show-failed').click();
    await until(() => rows().length === 1);
    expect(rows()[0]).toContain('04 Waltz.flac');
  });

  it('writes only after an explicit yes to what was shown, and undoes it', async () => {
    const app = await start();
    await preview(app);
    expect(by('tags-confirmation').textContent).toContain('3 original files');
    expect(by<HTMLButtonElement>('tags-write').disabled).toBe(true);
    by('tags-agree').click();
    flushSync();
    expect(by<HTMLButtonElement>('tags-write').disabled).toBe(false);
    // Other choices need another preview, and another yes.
    by('tags-field-loudness').click();
    flushSync();
    expect(find('tags-write')).toBeNull();
    expect(find('tags-confirmation')).toBeNull();
    expect(by('tags-outcome').textContent).toContain('Choices have changed');
    by('tags-preview').click();
    await until(() => find('tags-agree'));
    expect(by<HTMLInputElement>('tags-agree').checked).toBe(false);
    by('tags-agree').click();
    flushSync();
    by('tags-write').click();
    await until(() => find('tags-outcome')?.textContent?.includes('Wrote tags to 3 files.'));
    await until(() => find('tags-undo'));
    expect(by('tags-undo').textContent).toContain('3 originals');
    by('tags-undo').click();
    await until(() => find('tags-outcome')?.textContent?.includes('Restored 3 originals.'));
    expect(app.notices.all.filter((notice) => notice.level === 'error')).toEqual([]);
  });

  it('is limited to the selected files, and has to have something to write', async () => {
    const app = await start();
    const tracks = await tracksOf(app.backend);
    app.library.selection.only([tracks.find((row) => row.name === '03 Ground.wav')!.id]);
    await preview(app);
    expect(rows()).toHaveLength(1);
    for (const field of ['key', 'tempo', 'loudness']) by(`tags-field-${field}`).click();
    flushSync();
    expect(by<HTMLButtonElement>('tags-preview').title).toContain('at least one tag');
  });

  it('remembers what was written: it is undone later, or forgotten after a question', async () => {
    const app = await start();
    await preview(app);
    by('tags-agree').click();
    flushSync();
    by('tags-write').click();
    await until(() => find('tags-undo'));
    by('tags-close').click();
    flushSync();
    expect(find('tags')).toBeNull();
    app.library.questions.tags.open('history');
    await until(() => find('tags-undo-1'));
    expect(by('tags-write-1').textContent).toContain('Key, Tempo, Loudness');
    expect(by('tags-write-1').textContent).toContain('3 files');
    by('tags-forget-1').click();
    flushSync();
    expect(by('tags-write-1').textContent).toContain('3 originals can then no longer be restored');
    by('tags-forget-sure').click();
    await until(() => find('tags-write-1') === null);
    expect(by('tags').textContent).toContain('No tags were written yet.');
  });
});

describe('cells of tags', () => {
  const file: TagFileView = {
    id: 1,
    name: 'a.opus',
    folder: '/music',
    outcome: 'changes',
    changes: [
      { tag: 'R128_ALBUM_GAIN', old: '0', new: '-2176' },
      { tag: 'R128_TRACK_GAIN', old: null, new: '-3080' },
    ],
    kept: [['INITIALKEY', '8A']],
    reason: null,
    failure: null,
  };

  it('stand in the columns of the chosen fields', () => {
    expect(tagColumns(['tempo', 'loudness'])).toEqual(['tempo', 'gain', 'peak']);
    expect(tagColumns(['key', 'album', 'loudness'])).toEqual(['key', 'gain', 'peak']);
    expect(tagCells(file, 'gain')).toEqual([
      { tag: 'R128_TRACK_GAIN', old: null, value: '-3080', changes: true, ofAlbum: false },
      { tag: 'R128_ALBUM_GAIN', old: '0', value: '-2176', changes: true, ofAlbum: true },
    ]);
    expect(tagCells(file, 'key')).toEqual([{ tag: 'INITIALKEY', old: '8A', value: '8A', changes: false, ofAlbum: false }]);
    expect(tagCells(file, 'peak')).toEqual([]);
  });
});
