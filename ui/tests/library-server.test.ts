import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import type { LibraryView, ReadOnly } from '../src/bindings';
import { COMMANDS } from '../src/commands/table';
import { placesOf } from '../src/frame/library-server/places';
import { App } from '../src/state/app.svelte';
import { text } from '../src/text/catalogue';
import LibraryServerShown from './LibraryServerShown.svelte';
import { by, elementsAreHigh, find, settle, show, until } from './mounted';
import { recorded } from './recorded';

elementsAreHigh(588);

/** Answers of the core in place of the recorded ones. */
type Answers = Record<string, (args: Record<string, unknown>) => unknown>;

async function start(answers: Answers = {}): Promise<App> {
  const app = new App(recorded('library'));
  const call = app.backend.call.bind(app.backend);
  app.backend.call = (async (name: 'library.view', args: never) => (answers[name] ? answers[name](args) : call(name, args))) as typeof call;
  show(AppView, { app });
  await until(() => app.ready);
  await settle();
  by('page-library').click();
  await settle();
  await settle();
  return app;
}

function showLibrary(app: App, change: Partial<LibraryView>): void {
  app.library.take({ ...app.library.view!, ...change });
  flushSync();
}

const password = (message: string) => ({ code: 'password', message, detail: null, notation: null });

describe('a library that may only be read', () => {
  it.each<ReadOnly>(['asked', 'user', 'server'])('says why nothing in it can be changed: %s', async (reason) => {
    const app = await start();
    const changes = ['add-folders', 'scan', 'watch', 'tracks-bin'].map((id) => COMMANDS.find((command) => command.id === id)!);
    await app.library.showTrack(app.library.rows.at(0)!.id);
    await settle();
    expect(changes.map((command) => command.enabled?.(app))).toEqual([true, true, true, true]);
    showLibrary(app, { read_only: reason });
    const why = text.reasons.readOnlyLibrary[reason];
    expect(by('library-read-only').textContent).toContain(why);
    for (const id of ['add-folders', 'scan-start', `folder-scan-${app.library.view!.folders[0]!.id}`, `folder-remove-${app.library.view!.folders[0]!.id}`]) {
      const button = by<HTMLButtonElement>(id);
      expect([id, button.disabled, button.title.includes(why)]).toEqual([id, true, true]);
    }
    expect(by<HTMLInputElement>('scan-watch').disabled).toBe(true);
    by('problems').click();
    await settle();
    expect(by<HTMLButtonElement>('retry-all').disabled).toBe(true);
    for (const command of changes) expect([command.id, command.enabled?.(app), command.enabled?.reason(app)]).toEqual([command.id, false, why]);
    app.library.tab = 'map';
    await settle();
    if (find('map-make')) expect(by<HTMLButtonElement>('map-make').disabled).toBe(true);
    showLibrary(app, { read_only: null });
    expect(find('library-read-only')).toBeNull();
    app.library.tab = 'tracks';
    await settle();
    expect(by<HTMLButtonElement>('add-folders').disabled).toBe(false);
  });

  it('offers no marks and decisions among duplicates', async () => {
    const app = await start();
    app.library.tab = 'duplicates';
    await settle();
    await app.library.questions.duplicates.find();
    for (let i = 0; i < 100 && app.library.questions.duplicates.groups.length === 0; i++) await settle();
    const controls = () => [...document.querySelectorAll<HTMLButtonElement>('[data-testid^="keep-best-"], [data-testid^="mark-"]:not([data-testid="mark-threshold"]), [data-testid^="different-"]')];
    expect(controls().length).toBeGreaterThan(4);
    expect(controls().some((control) => !control.disabled)).toBe(true);
    showLibrary(app, { read_only: 'user' });
    expect(controls().filter((control) => !control.disabled)).toEqual([]);
    expect(by<HTMLButtonElement>('to-bin').title).toBe(text.reasons.readOnlyLibrary.user);
  });
});

describe('a server that wants a password', () => {
  it('is asked for it on the page, until it is right', async () => {
    const given: unknown[] = [];
    let view: LibraryView | null = null;
    const app = await start({
      'library.view': () => Promise.reject(password('The server wants the password of a.')),
      'library.give_password': (args) => {
        given.push(args);
        return args['password'] === 'right' ? view : Promise.reject(password('The server refused the password for a.'));
      },
    });
    const other = new App(recorded('library'));
    await other.start();
    await other.library.load();
    view = other.library.view;
    expect(by('library-password').textContent).toContain('The server wants the password of a.');
    expect(by<HTMLButtonElement>('library-password-open').disabled).toBe(true);
    const field = by<HTMLInputElement>('library-password-field');
    expect(field.type).toBe('password');
    const type = async (words: string) => {
      field.value = words;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      flushSync();
      by<HTMLButtonElement>('library-password-open').click();
      await settle();
      await settle();
    };
    await type('wrong');
    expect(by('library-password').textContent).toContain('refused the password');
    expect(by('library-password-field')).toBe(field);
    by('library-password-remember').click();
    await type('right');
    expect(given).toEqual([{ password: 'wrong', remember: false }, { password: 'right', remember: true }]);
    expect(find('library-password')).toBeNull();
    expect(app.library.failure).toBeNull();
    expect(app.library.rows.total).toBeGreaterThan(0);
  });

  it('is not what another failure is', async () => {
    await start({ 'library.view': () => Promise.reject({ ...password('The server cannot be reached.'), code: 'stored' }) });
    expect(find('library-password')).toBeNull();
    expect(by('library-failure').textContent).toContain('cannot be reached');
  });

  it('is asked again where its folders are whenever the settings are opened', async () => {
    let away = false;
    const app = new App(recorded('library'));
    const call = app.backend.call.bind(app.backend);
    app.backend.call = (async (name: 'library.view', args: never) => {
      const answer = await call(name, args);
      return (name as string) === 'library.view' && away ? { ...answer, away: answer.folders.map((folder) => folder.id) } : answer;
    }) as typeof call;
    await app.start();
    await app.library.load();
    away = true;
    await app.settings.save({ library: { ...app.settings.now.library, server: 'postgres://a@h/m' } });
    show(LibraryServerShown, { app });
    await settle();
    expect(by('settings-library-places').textContent).toContain(text.settings.libraryServer.places.away);
  });

  it('has its password forgotten by the settings', async () => {
    let had = true;
    const app = new App(recorded('library'));
    const call = app.backend.call.bind(app.backend);
    app.backend.call = (async (name: 'library.view', args: never) => ((name as string) === 'library.forget_password' ? [had, (had = false)][0] : call(name, args))) as typeof call;
    await app.start();
    await app.settings.save({ library: { ...app.settings.now.library, server: 'postgres://a@h/m' } });
    show(LibraryServerShown, { app });
    await settle();
    expect(by('settings-library-places').children).toHaveLength(app.library.view!.folders.length);
    for (const told of [text.library.password.forgotten, text.library.password.none]) {
      by('settings-library-forget').click();
      await settle();
      expect(app.notices.toasts.at(-1)?.message).toBe(told);
    }
  });
});

describe('folders of a library on a server', () => {
  const server = 'postgres://a@h/m';
  const folder = (id: number, stored: string, path = stored) => ({ id, stored, path, scanned_at: null, unreachable: null, tracks: 1 });
  const place = (stored: string, path: string, of = server) => ({ server: of, folder: stored, path });

  it('are listed with their places on this computer', () => {
    const view = { folders: [folder(1, '/srv/a'), folder(2, '/srv/b', '/mnt/b'), folder(3, '/srv/c'), folder(4, '/srv/d', '/mnt/d')], away: [3, 4] };
    const places = [place('/srv/b', '/mnt/b'), place('/srv/d', '/mnt/d'), place('/srv/e', '/mnt/e'), place('/srv/a', '/mnt/x', 'postgres://a@other/m')];
    expect(placesOf(view, places, server)).toEqual([
      { folder: '/srv/a', path: null, state: 'same' },
      { folder: '/srv/b', path: '/mnt/b', state: 'placed' },
      { folder: '/srv/c', path: null, state: 'away' },
      { folder: '/srv/d', path: '/mnt/d', state: 'not_found' },
      { folder: '/srv/e', path: '/mnt/e', state: 'gone' },
    ]);
    expect(placesOf(null, places, server).map((row) => row.state)).toEqual(['placed', 'placed', 'placed']);
  });

  it('that are not here are marked, with their tracks, and found a place from there', async () => {
    const asked: unknown[] = [];
    const app = await start({
      'library.choose_place': (args) => {
        asked.push(args);
        return asked.length === 1 ? null : '/mnt/music';
      },
    });
    await app.settings.save({ library: { ...app.settings.now.library, server } });
    const [first] = app.library.view!.folders;
    const inside = app.library.rows.at(0)!;
    expect(app.library.isAway(inside)).toBe(false);
    showLibrary(app, { away: app.library.view!.folders.map((each) => each.id) });
    expect(app.library.isAway(inside)).toBe(true);
    expect(app.library.isAway({ folder: `${first!.path} too`, name: 'a.wav' })).toBe(false);
    expect(document.getElementById('track-0')!.textContent).toContain(text.library.elsewhere);
    by(`folder-place-${first!.id}`).click();
    await settle();
    expect(app.settings.now.library.places).toEqual([]);
    by(`folder-place-${first!.id}`).click();
    await settle();
    expect(asked).toEqual([{ folder: first!.stored }, { folder: first!.stored }]);
    expect(app.settings.now.library.places).toEqual([place(first!.stored, '/mnt/music')]);
    await app.library.setPlace(first!.stored, '/mnt/other');
    expect(app.settings.now.library.places).toEqual([place(first!.stored, '/mnt/other')]);
    await app.library.setPlace(first!.stored, null);
    expect(app.settings.now.library.places).toEqual([]);
  });
});
