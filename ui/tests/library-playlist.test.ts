import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import type { Backend } from '../src/backend';
import type { Commands, JobView, PlaylistView } from '../src/bindings';
import { App } from '../src/state/app.svelte';
import { Playlist } from '../src/pages/library/state/playlist.svelte';
import { by, elementsAreHigh, find, key, show, until } from './mounted';
import { analysedOf, recorded, TRACK, tracksOf } from './recorded';

elementsAreHigh(400);

const settled = async (app: App) => {
  flushSync();
  await until(() => !app.library.questions.playlist.working);
  flushSync();
};
const titles = (): string[] => [...by('playlist-list').querySelectorAll('.title')].map((each) => each.textContent ?? '');

async function start(): Promise<App> {
  const app = new App(recorded('library'));
  show(AppView, { app });
  await until(() => app.ready);
  app.showPage('library');
  await until(() => app.library.view !== null && app.library.rows.total !== null);
  return app;
}

describe('a playlist', () => {
  it('has the tracks of the table in its order, says what is left out, and is saved as it is shown', async () => {
    const app = await start();
    await app.library.showPlaylist();
    await settled(app);
    const { playlist } = app.library.questions;
    const all = (await tracksOf(app.backend)).filter((row) => row.state !== 'failed');
    expect(playlist.view?.tracks).toEqual(all.map((row) => row.id));
    expect(by('playlist-sum').textContent).toContain(`${all.length} tracks`);
    expect(by('playlist-left-out').textContent).toContain('2 tracks are left out');
    expect(titles()[0]).toBe(all[0]?.title);
    expect(by('playlist-row-0').getAttribute('aria-label')).toContain(`1. ${all[0]?.title}, ${all[0]?.artist}`);

    by('playlist-relative').click();
    await playlist.save();
    await until(() => playlist.saving === null);
    expect(app.notices.all[0]?.message).toContain('playlist.m3u8');
  });

  it('has only the selected tracks, in the order of the table', async () => {
    const app = await start();
    const [first, second, third] = await tracksOf(app.backend);
    app.library.selection.only([third!.id, first!.id]);
    await app.library.showPlaylist();
    await settled(app);
    expect(app.library.questions.playlist.view?.tracks).toEqual([first!.id, third!.id]);
    // Another selection is taken when that is asked for.
    app.library.selection.only([second!.id]);
    flushSync();
    expect(app.library.questions.playlist.view?.tracks).toHaveLength(2);
    by('playlist-use-all').click();
    await until(() => app.library.questions.playlist.some?.length === 1);
    await settled(app);
    expect(titles()).toEqual([second!.title]);
  });

  it('begins with the track that the others are like, and tells the changes of a mix', async () => {
    const app = await start();
    const [track] = await analysedOf(app.backend);
    app.library.current = track!.id;
    await app.library.showPlaylistLike(track!.id);
    await settled(app);
    const { playlist } = app.library.questions;
    expect(playlist.view?.tracks).toHaveLength(20);
    expect(titles()[0]).toBe(track!.title);
    expect(by('playlist').textContent).not.toContain('Change');
    by('playlist-mix').click();
    await settled(app);
    expect(playlist.view?.changes).toHaveLength(19);
    expect(by('playlist').textContent).toContain('Change');
    playlist.counts.like = 200;
    await settled(app);
    expect(by('playlist-fewer').textContent).toContain('200 were asked for');
  });

  it('leads from one track to another, once both are there', async () => {
    const app = await start();
    const tracks = await analysedOf(app.backend);
    const [first, last] = [tracks[0]!, tracks[10]!];
    app.library.current = first.id;
    await app.library.showPath(first.id);
    flushSync();
    expect(by('playlist-hint').textContent).toContain('Select the last track');
    expect(by<HTMLButtonElement>('playlist-save').disabled).toBe(true);
    expect(by<HTMLInputElement>('playlist-mix').disabled).toBe(true);
    expect(by<HTMLButtonElement>('playlist-use-first').disabled).toBe(true);
    app.library.current = last.id;
    flushSync();
    by('playlist-use-last').click();
    await until(() => app.library.questions.playlist.last !== null);
    await settled(app);
    const { view } = app.library.questions.playlist;
    expect([view?.tracks[0], view?.tracks.at(-1)]).toEqual([first.id, last.id]);
  });

  it('says in its place why there is none', async () => {
    const app = await start();
    const broken = (await tracksOf(app.backend)).find((row) => row.state === 'failed');
    await app.library.showPlaylistLike(broken!.id);
    await settled(app);
    expect(by('playlist-failure').textContent).toContain('not analysed');
    expect(app.notices.all).toEqual([]);
    expect(find('playlist-list')).toBeNull();
  });

  it('is gone through and heard by keys', async () => {
    const app = await start();
    const [track] = await analysedOf(app.backend);
    await app.library.showPlaylistLike(track!.id);
    await settled(app);
    const { playlist, audition } = app.library.questions;
    const list = by('playlist-list');
    list.focus();
    key(list, 'ArrowDown');
    expect(list.getAttribute('aria-activedescendant')).toBe('playlist-1');
    key(list, ' ');
    await until(() => audition.pair !== null);
    expect(audition.pair?.a.id).toBe(playlist.view?.tracks[1]);
    key(list, 'End');
    expect(playlist.at).toBe(19);
  });
});

describe('requests for a playlist', () => {
  const job = (id: number, state: JobView['state']): JobView => ({ id, purpose: 'playlist', title: '', step: null, state, done: 0, total: 0, rate: 0, remaining_s: null, result: null, failure: null });

  it('are answered by the last one only, and a cancelled one can be made again', async () => {
    let jobs: JobView[] = [];
    let view: PlaylistView = { tracks: [1], duration_s: 1, left_out: 0, changes: [] };
    let next = 0;
    const asked: Commands['library.make_playlist']['args'][] = [];
    const call = (name: string, args: unknown) => {
      if (name === 'library.make_playlist') {
        asked.push(args as never);
        jobs = [...jobs, job(++next, 'running')];
        return Promise.resolve(next);
      }
      if (name === 'library.playlist') return Promise.resolve(view);
      return Promise.resolve((args as { tracks: number[] }).tracks.map((id) => ({ ...TRACK, id })));
    };
    const playlist = new Playlist({ call } as unknown as Backend, (action) => action(), () => jobs, () => ({ query: { text: '', sort: [] }, total: 9 }));
    const rest = () => new Promise((done) => setTimeout(done, 5));
    playlist.ask();
    await rest();
    playlist.counts.all = 3;
    playlist.ask();
    await rest();
    expect(asked.map(({ count }) => count)).toEqual([null, 3]);
    playlist.takeJob(job(1, 'done'));
    await rest();
    expect(playlist.view).toBeNull();
    view = { ...view, tracks: [4, 5, 6] };
    playlist.takeJob(job(2, 'done'));
    await rest();
    expect(playlist.view?.tracks).toEqual([4, 5, 6]);
    expect(playlist.rows.at(2)?.id).toBe(6);

    // The same question is not asked twice, unless it is asked again.
    playlist.ask();
    playlist.askAgain();
    await rest();
    expect(asked).toHaveLength(3);
    playlist.takeJob(job(3, 'cancelled'));
    expect([playlist.cancelled, playlist.working]).toEqual([true, false]);
  });
});
