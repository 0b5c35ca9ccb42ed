import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import type { Replay } from '../src/backend/replay';
import { gathered } from '../src/lib/coalesce';
import type { TrackItem } from '../src/bindings';
import { App } from '../src/state/app.svelte';
import type { LibraryTab } from '../src/pages/library/state/library.svelte';
import { find, show, until } from './mounted';
import { analysedOf, recorded } from './recorded';

async function start(tab: LibraryTab): Promise<{ app: App; backend: Replay; asked: string[] }> {
  const backend = recorded('library');
  const app = new App(backend);
  const asked: string[] = [];
  const call = app.backend.call.bind(app.backend);
  app.backend.call = ((name: 'library.view', args: never) => {
    asked.push(name);
    return call(name, args);
  }) as typeof call;
  show(AppView, { app });
  await until(() => app.ready);
  app.showPage('library');
  await until(() => app.library.view !== null);
  app.library.tab = tab;
  flushSync();
  return { app, backend, asked };
}

const pathOf = ({ folder, name }: TrackItem): string => `${folder}/${name}`;

/** Somebody else takes an analysed track away. */
async function change(backend: Replay): Promise<void> {
  const item = (await analysedOf(backend)).at(-1);
  if (!item) throw new Error('nothing is analysed');
  await backend.outside({ remove: pathOf(item) });
}

/** News of the library in which nothing has changed. */
const news = async (backend: Replay): Promise<void> => backend.emit({ kind: 'library_changed', library: await backend.call('library.view', {}) });

describe('when the library changes', () => {
  it('duplicates say so in a line and keep the marks, also when they are found again', async () => {
    const { app, backend, asked } = await start('duplicates');
    const { duplicates } = app.library.questions;
    await duplicates.find();
    await until(() => duplicates.groups.length > 1);
    for (const group of duplicates.groups.slice(0, 2)) duplicates.keepBest(group);
    const marks = [...duplicates.marks].sort();
    const groups = duplicates.groups.map((group) => group.map((item) => item.track.id));
    // News that changes nothing raise no line.
    await news(backend);
    await until(() => !duplicates.doubted);
    await new Promise((done) => setTimeout(done, 30));
    expect(find('duplicates-outdated')).toBeNull();
    await change(backend);
    await until(() => find('duplicates-outdated'));
    expect([...duplicates.marks].sort()).toEqual(marks);
    expect(duplicates.groups.map((group) => group.map((item) => item.track.id))).toEqual(groups);
    // Once it is known, nothing is asked any more.
    const before = asked.filter((name) => name === 'library.duplicates').length;
    await change(backend);
    await until(() => !duplicates.doubted);
    expect(asked.filter((name) => name === 'library.duplicates')).toHaveLength(before);
    find('duplicates-outdated-find')?.click();
    await until(() => duplicates.found?.outdated === false);
    expect([...duplicates.marks].sort()).toEqual(marks);
    expect(find('duplicates-outdated')).toBeNull();
  });

  it('the map says so, and moves no point until it is laid out again', async () => {
    const { app, backend } = await start('map');
    const { map } = app.library.questions;
    await map.make();
    await until(() => map.data !== null);
    map.chosen = new Set([2, 3]);
    const { data } = map;
    expect(find('map-outdated')).toBeNull();
    await change(backend);
    await until(() => find('map-outdated'));
    expect(map.data).toBe(data);
    expect(map.chosen.size).toBe(2);
    find('map-outdated-make')?.click();
    await until(() => map.data !== data);
    flushSync();
    expect(find('map-outdated')).toBeNull();
  });

  it('of what happened while another view was open is heard when this one is opened', async () => {
    const { app, backend } = await start('duplicates');
    const { duplicates } = app.library.questions;
    await duplicates.find();
    await until(() => duplicates.groups.length > 1);
    app.library.tab = 'tracks';
    flushSync();
    await change(backend);
    await until(() => duplicates.doubted);
    app.library.tab = 'duplicates';
    flushSync();
    await until(() => find('duplicates-outdated'));
  });

  it('what is alike is asked again without a word, and what was at hand stays at hand', async () => {
    const { app, backend } = await start('tracks');
    const { similar } = app.library.questions;
    const [first] = await analysedOf(backend);
    app.library.showSimilar(first?.id ?? 0);
    flushSync();
    await until(() => similar.answers.length > 4);
    similar.at = 3;
    const held = similar.answers[3]?.track.id;
    const gone = similar.answers[1]?.track;
    if (gone) await backend.outside({ remove: pathOf(gone) });
    flushSync();
    expect(similar.asking).toBe(false);
    await until(() => !similar.answers.some((answer) => answer.track.id === gone?.id));
    expect(similar.answers[similar.at]?.track.id).toBe(held);
    expect(similar.at).toBeLessThan(3);
    expect(find(`similar-${similar.at}`)?.tabIndex).toBe(0);
  });

  it('the track’s page is read again, and stays until the new one is here', async () => {
    const { app, backend } = await start('tracks');
    const [item] = await analysedOf(backend);
    await app.library.showTrack(item?.id ?? 0);
    flushSync();
    await until(() => find('track-panel')?.textContent.includes(item?.title ?? item?.name ?? ''));
    if (item) await backend.outside({ retitle: pathOf(item), title: 'A new name for it' });
    flushSync();
    expect(find('track-panel')?.textContent).not.toBe('');
    await until(() => find('track-panel')?.textContent.includes('A new name for it'));
  });
});

describe('calls that are gathered', () => {
  it('act once, after the first, and not at all when that was called off', async () => {
    let acted = 0;
    const act = gathered(20, () => acted++);
    act();
    await new Promise((done) => setTimeout(done, 12));
    act();
    await new Promise((done) => setTimeout(done, 12));
    expect(acted).toBe(1);
    act();
    act.cancel();
    await new Promise((done) => setTimeout(done, 40));
    expect(acted).toBe(1);
  });
});
