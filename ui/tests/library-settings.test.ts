import { describe, expect, it } from 'vitest';
import type { Replay } from '../src/backend/replay';
import { readServer } from '../src/frame/library-server/server-address';
import { rebased } from '../src/lib/rebased';
import { App } from '../src/state/app.svelte';
import { recorded } from './recorded';

async function started(delayMs = 0): Promise<{ app: App; backend: Replay }> {
  const backend = recorded('library', delayMs);
  const app = new App(backend);
  await app.start();
  await app.library.load();
  return { app, backend };
}

/** Lets the commands of one name answer late, in whatever order they were asked. */
function slow(app: App, name: string, ms: number): void {
  const call = app.backend.call.bind(app.backend);
  app.backend.call = (async (each: 'settings.view', args: never) => {
    const answer = await call(each, args);
    if (each === name) await new Promise((done) => setTimeout(done, ms));
    return answer;
  }) as typeof call;
}

describe('watching the folders', () => {
  it('is not undone by whatever settings are saved next', async () => {
    const { app, backend } = await started();
    await app.library.watch(true);
    expect(app.settings.now.library.watch).toBe(true);
    await app.settings.save({ theme: 'light' });
    expect(backend.settings?.library.watch).toBe(true);
    expect((await app.backend.call('library.view', {})).watched).toBe(true);
    await app.library.watch(false);
    await app.settings.save({ theme: 'dark' });
    expect(backend.settings?.library.watch).toBe(false);
    expect((await app.backend.call('library.view', {})).watched).toBe(false);
  });

  it('does not take back what was changed on the page and is not saved yet', async () => {
    const { app, backend } = await started();
    app.settings.setLibrary({ columns: ['title', 'key'], matched: false });
    await app.library.watch(true);
    expect(app.settings.now.library).toMatchObject({ watch: true, columns: ['title', 'key'], matched: false });
    await app.settings.save({});
    expect(backend.settings?.library).toMatchObject({ watch: true, columns: ['title', 'key'], matched: false });
  });

  it.each(['settings.set', 'library.watch', 'settings.view'])('is right whichever answers late, here %s', async (name) => {
    const { app, backend } = await started(1);
    slow(app, name, 40);
    const done = [app.settings.save({ theme: 'light' }), app.library.watch(true), app.settings.save({ theme: 'contrast' })];
    await Promise.all(done);
    expect(app.settings.now).toMatchObject({ theme: 'contrast', library: { watch: true } });
    expect(backend.settings).toMatchObject({ theme: 'contrast', library: { watch: true } });
    expect((await backend.call('library.view', {})).watched).toBe(true);
  });

  it('stays as it was when it fails, and hinders no later save', async () => {
    const { app, backend } = await started();
    const call = app.backend.call.bind(app.backend);
    app.backend.call = ((name: 'library.watch', args: never) => (name === 'library.watch' ? Promise.reject({ code: 'io', message: 'no watches left', detail: null, notation: null }) : call(name, args))) as typeof call;
    await app.library.watch(true);
    expect(app.notices.toasts.map((toast) => toast.message)).toEqual(['no watches left']);
    expect(app.settings.now.library.watch).toBe(false);
    await app.settings.save({ theme: 'light' });
    expect(backend.settings).toMatchObject({ theme: 'light', library: { watch: false } });
  });
});

describe('settings from elsewhere', () => {
  const base = { a: 1, deep: { b: [1, 2], c: 'x' }, weights: { one: 1 } as Record<string, number> };

  it('leave alone what they do not change', () => {
    const mine = { ...base, a: 2 };
    expect(rebased(mine, base, structuredClone(base))).toBe(mine);
  });

  it('come in beside what was changed here, and count where both changed', () => {
    const mine = { a: 2, deep: { b: [1, 2], c: 'mine' }, weights: { one: 1, two: 2 } };
    const theirs = { a: 3, deep: { b: [3], c: 'x' }, weights: {} };
    expect(rebased<typeof base>(mine, base, theirs)).toEqual({ a: 3, deep: { b: [3], c: 'mine' }, weights: { two: 2 } });
    expect(rebased<unknown>(null, { a: 1 }, { a: 2 })).toEqual({ a: 2 });
    expect(rebased<unknown>({ a: 1 }, { a: 1 }, null)).toBeNull();
  });
});

describe('a library on a server', () => {
  it('is read once the settings name it', async () => {
    const { app, backend } = await started();
    app.library.selection.only([1]);
    await app.settings.save({ library: { ...app.settings.now.library, server: 'postgres://a@h/m' } });
    expect(backend.settings?.library.server).toBe('postgres://a@h/m');
    const before = app.library.view;
    await app.library.reopen();
    expect(app.library.view).not.toBe(before);
    expect(app.library.failure).toBeNull();
    expect(app.library.selection.count(10)).toBe(0);
    expect(app.library.rows.total).toBeGreaterThan(0);
  });

  it('leaves no rows of the former library when it cannot be reached', async () => {
    const { app } = await started();
    expect(app.library.rows.total).toBeGreaterThan(0);
    const call = app.backend.call.bind(app.backend);
    app.backend.call = (async (name: 'library.view', args: never) => {
      if (name === 'library.view') throw new Error('The server cannot be reached');
      return call(name, args);
    }) as typeof call;
    await app.library.reopen();
    expect(app.library.failure).toContain('cannot be reached');
    expect(app.library.rows.total).toBeNull();
    expect(app.library.view).toBeNull();
  });

  it('is not read before anything was', async () => {
    const app = new App(recorded('library'));
    await app.start();
    await app.library.reopen();
    expect(app.library.view).toBeNull();
  });

  it.each([
    ['', { value: null }],
    ['  ', { value: null }],
    [' postgres://a@h/m ', { value: 'postgres://a@h/m' }],
    ['postgresql:///m?host=/run/pg&user=a', { value: 'postgresql:///m?host=/run/pg&user=a' }],
    ['postgres://a@[::1]:5433/m', { value: 'postgres://a@[::1]:5433/m' }],
    ['h/m', { problem: 'form' }],
    ['mysql://h/m', { problem: 'form' }],
    ['postgres://a:b@h/m', { problem: 'password' }],
    ['postgres://a:@h/m', { problem: 'password' }],
  ])('is named by an address: %j', (typed, answer) => {
    expect(readServer(typed)).toEqual(answer);
  });
});
