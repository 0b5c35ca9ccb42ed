import { flushSync } from 'svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import type { Replay } from '../src/backend/replay';
import { App } from '../src/state/app.svelte';
import type { LibraryTab } from '../src/pages/library/state/library.svelte';
import { by, find, key, show, until } from './mounted';
import { analysedOf, recorded, type Scene } from './recorded';

beforeEach(() => {
  Element.prototype.setPointerCapture = () => undefined;
});

async function start(tab: LibraryTab, scene: Scene = 'library'): Promise<App> {
  const app = new App(recorded(scene));
  show(AppView, { app });
  await until(() => app.ready);
  app.showPage('library');
  await until(() => app.library.view !== null);
  app.library.tab = tab;
  flushSync();
  return app;
}

/** A track that was analysed. */
const analysed = async (app: App): Promise<number> => {
  const page = await app.backend.call('library.tracks', { query: { text: '', sort: [] }, offset: 0, limit: 50 });
  const row = page.rows.find((each) => each.state === 'done');
  if (!row) throw new Error('nothing is analysed');
  return row.id;
};

function nameless(): string[] {
  return [...document.querySelectorAll('button, input, [role="slider"], [role="application"], [role="group"]')]
    .filter((element) => !(element.getAttribute('aria-label') || element.textContent?.trim() || element.closest('label')?.textContent?.trim()))
    .map((element) => element.outerHTML.slice(0, 120));
}

describe('duplicates', () => {
  async function found(): Promise<App> {
    const app = await start('duplicates');
    await until(() => find('duplicates-find'));
    by('duplicates-find').click();
    await until(() => find('duplicate-groups'));
    return app;
  }

  it('are found by a job that can be cancelled, and found again', async () => {
    const { backend } = await start('duplicates');
    await until(() => find('duplicates-find'));
    (backend as Replay).still = true;
    by('duplicates-find').click();
    await until(() => find('duplicates-job-cancel'));
    by('duplicates-job-cancel').click();
    await until(() => find('duplicates-find'));
    (backend as Replay).still = false;
    expect(by('duplicates').textContent).toContain('Cancelled.');
    expect(find('duplicate-groups')).toBeNull();
    by('duplicates-find').click();
    await until(() => find('duplicate-groups'));
    expect(nameless()).toEqual([]);
  });

  it('are marked by group, told in a sum, and moved when that was confirmed', async () => {
    const app = await found();
    const { duplicates } = app.library.questions;
    expect(by<HTMLButtonElement>('to-bin').disabled).toBe(true);
    by('keep-best-1').click();
    flushSync();
    const marked = (duplicates.groups[0]?.length ?? 0) - 1;
    expect(by('marked').textContent).toContain(`${marked} cop`);
    // The best one is now the last that stays, and cannot be marked.
    const best = duplicates.groups[0]?.[0]?.track.id ?? 0;
    expect(by<HTMLInputElement>(`mark-${best}`).disabled).toBe(true);
    by('to-bin').click();
    await until(() => find('bin-list'));
    expect(by('bin-list').querySelectorAll('li.goes')).toHaveLength(marked);
    expect(by('bin-list').textContent).toContain('Keep');
    // Keys of the page do not reach through the dialog.
    key(document.body, 'a', { ctrlKey: true });
    expect(app.library.selection.all).toBe(false);
    by('bin-start').click();
    await until(() => find('bin-undo') ?? find('bin-failures'));
    expect(by('bin-outcome').textContent).toContain('Moved');
  });

  it('are gone through, marked, heard and switched by keys', async () => {
    const app = await found();
    const { audition, duplicates } = app.library.questions;
    const members = duplicates.groups[0] ?? [];
    const row = (index: number) => document.querySelector<HTMLElement>(`[data-row="${index}"]`);
    row(1)?.focus();
    key(row(1) as HTMLElement, 'ArrowDown');
    await until(() => document.activeElement === row(2));
    expect(app.library.current).toBe(members[1]?.track.id);
    key(row(2) as HTMLElement, 'Delete');
    expect(duplicates.marks.has(members[1]?.track.id ?? 0)).toBe(true);
    key(row(2) as HTMLElement, ' ');
    await until(() => audition.playing);
    expect([audition.pair?.a.id, audition.pair?.b?.id]).toEqual([members[0]?.track.id, members[1]?.track.id]);
    const side = audition.side;
    key(row(2) as HTMLElement, 'x');
    await until(() => audition.side !== side);
    expect(nameless()).toEqual([]);
  });
});

describe('an audition', () => {
  it('goes on from where it was stopped, whoever stopped it, and moves by keys', async () => {
    const app = await start('duplicates');
    const { audition } = app.library.questions;
    const row = (await analysedOf(app.backend)).find((each) => (each.duration_s ?? 0) > 50);
    if (!row) throw new Error('no row');
    await audition.playTrack(row, 30);
    await until(() => audition.at() > 30.1);
    flushSync();
    await app.player.stop();
    await until(() => !audition.playing);
    expect(audition.at()).toBeGreaterThan(30);
    expect(audition.at()).toBeLessThan(45);
    const lanes = by('audition-lanes');
    key(lanes, 'Home');
    await until(() => audition.at() === 0);
    expect(audition.playing).toBe(false);
    key(lanes, 'PageUp');
    await until(() => audition.at() === 10);
    expect(lanes.getAttribute('aria-valuetext')).toContain('0:10.0 of');
    key(lanes, ' ');
    await until(() => audition.playing);
    expect(audition.at()).toBeGreaterThanOrEqual(10);
    by('audition-close').click();
    await until(() => !app.player.playing);
    flushSync();
    expect(find('audition')).toBeNull();
  });

  it('plays a copy at the speed of the other, and hears the answer first', async () => {
    const app = await start('tracks');
    const asked: unknown[] = [];
    const call = app.backend.call.bind(app.backend);
    app.backend.call = ((name: 'library.audition', args: never) => {
      if (name === 'library.audition') asked.push(args);
      return call(name, args);
    }) as typeof call;
    const { audition } = app.library.questions;
    const rows = (await app.backend.call('library.tracks', { query: { text: '', sort: [] }, offset: 0, limit: 40 })).rows.filter((each) => each.state === 'done');
    const [a, b] = rows;
    if (!a || !b) throw new Error('no rows');
    await audition.compareCopies(a, b, { offset_s: -4, speed: 1.02 });
    const [{ b: sent }] = asked as [{ b: { offset_s: number; speed: number } }];
    expect(sent.speed).toBeCloseTo(1 / 1.02, 9);
    expect(sent.offset_s).toBeCloseTo(-4, 9);
    await audition.compareTracks(a, b);
    expect(audition.side).toBe('b');
  });
});

describe('what sounds alike', () => {
  it('follows the current track and the sliders, and says when nothing counts', async () => {
    const app = await start('tracks');
    app.library.panel = 'similar';
    app.library.current = await analysed(app);
    await until(() => find('similar-0'));
    expect(document.querySelectorAll('[data-answer]')).toHaveLength(25);
    expect(by('similar-0').getAttribute('aria-label')).toContain('similarity');
    const before = app.library.questions.similar.answers.map((each) => each.track.id).join();
    by('similar-weights').click();
    flushSync();
    for (const group of ['spectrum', 'level', 'timbre', 'harmony', 'dynamics', 'stereo']) key(by(`weight-group-${group}`), 'Home');
    const rhythm = ['tempo_bpm', 'rhythm_stability', 'transient_density'];
    await until(() => app.library.questions.similar.answers[0]?.contributions.every((each) => rhythm.includes(each.dimension)));
    expect(app.library.questions.similar.answers.map((each) => each.track.id).join()).not.toBe(before);
    key(by('weight-group-rhythm'), 'Home');
    await until(() => by('similar').textContent?.includes('All weights are 0'));
    by('weights-reset').click();
    await until(() => app.library.questions.similar.answers.map((each) => each.track.id).join() === before && find('similar-0'));
    expect(app.settings.now.library.weights).toEqual({});
    expect(nameless()).toEqual([]);
  });

  it('tells why there is no answer', async () => {
    const app = await start('tracks');
    const page = await app.backend.call('library.tracks', { query: { text: '', sort: [] }, offset: 0, limit: 300 });
    app.library.current = page.rows.find((each) => each.state === 'failed')?.id ?? null;
    app.library.panel = 'similar';
    await until(() => find('similar-failure'));
    expect(by('similar-failure').textContent).toContain('not analysed yet');
  });

  it('can be asked of the open recording', async () => {
    const app = await start('tracks');
    await app.documents.open('demo');
    app.showPage('library');
    app.library.panel = 'similar';
    app.library.questions.like = { kind: 'document', document: app.documents.active?.data.id ?? 0 };
    flushSync();
    await until(() => find('similar-0'));
    // An open recording is none of the library's, so there is nothing to lay beside an answer.
    expect(find('similar-ab-0')).toBeNull();
  });
});

describe('the map', () => {
  it('is laid out, gone through by arrows, and says where one is', async () => {
    const app = await start('map');
    await until(() => find('map-make'));
    by('map-make').click();
    await until(() => find('map-canvas'));
    const { map } = app.library.questions;
    const canvas = by('map-canvas');
    canvas.focus();
    key(canvas, 'ArrowRight');
    expect(map.point).toBeGreaterThanOrEqual(0);
    const first = map.point;
    await until(() => (by('map-live').textContent ?? '') !== '');
    for (const arrow of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp']) key(canvas, arrow, { shiftKey: true });
    expect(map.point).not.toBe(-1);
    expect(map.chosen.has(first)).toBe(true);
    expect(app.library.current).toBe(map.idOf(map.point));
    expect(app.library.selection.numbers?.length).toBe(map.chosen.size);
    key(canvas, ' ');
    await until(() => app.library.questions.audition.playing);
    key(canvas, 'Escape');
    expect(map.chosen.size).toBe(0);
    expect(nameless()).toEqual([]);
  });

  it('says that there are too few tracks for one', async () => {
    const app = await start('map', 'library-unreachable');
    await until(() => by('map').textContent?.includes('at least 10'));
    expect(find('map-make')).toBeNull();
    expect(app.notices.toasts).toEqual([]);
  });

  it('listens only when that was asked for', async () => {
    const app = await start('map');
    await until(() => find('map-make'));
    by('map-make').click();
    await until(() => find('map-canvas'));
    expect(app.library.questions.map.listen).toBe(false);
    by('map-listen').click();
    flushSync();
    expect(by('map-listen').getAttribute('aria-pressed')).toBe('true');
  });
});

describe('identifying', () => {
  it('says what a clip is of, and how sure', async () => {
    await start('identify');
    by('identify-file').click();
    await until(() => find('identify-job'));
    await until(() => find('identified'));
    expect(by('identified').querySelectorAll('li')).toHaveLength(2);
    expect(by('identified').textContent).toContain('94 %');
    expect(by('identified').textContent).toContain('+2.0 %');
    expect(nameless()).toEqual([]);
  });

  it('says what was asked when nothing was found, and that nothing was heard', async () => {
    const app = await start('identify', 'library-silent-clip');
    const call = app.backend.call.bind(app.backend);
    // The recorded core has no microphone: a silent file takes its place.
    app.backend.call = ((name: 'library.identify', args: never) => call(name, name === 'library.identify' ? { clip: { kind: 'file' } } : args)) as typeof call;
    app.library.questions.identify.seconds = 5;
    flushSync();
    expect(by('identify').textContent).toContain('Nothing is kept or sent.');
    by('identify-microphone').click();
    await until(() => find('identified'));
    expect(by('identified-title').textContent).toContain('No matches');
    expect(by('identified-silent').textContent).toContain('almost silent');
    expect(by('identified').textContent).toContain('searched');
  });

  it('does not begin anything that was not asked for, and leaves what it cannot do alone', async () => {
    const app = await start('identify');
    expect(by<HTMLButtonElement>('identify-document').disabled).toBe(true);
    expect(by<HTMLButtonElement>('identify-selection').disabled).toBe(true);
    expect(app.jobs.all).toEqual([]);
    const call = app.backend.call.bind(app.backend);
    // The user closed the dialog without choosing.
    app.backend.call = ((name: 'library.identify', args: never) => (name === 'library.identify' ? Promise.resolve(null) : call(name, args))) as typeof call;
    by('identify-file').click();
    await new Promise((done) => setTimeout(done, 30));
    expect(app.library.questions.identify.asked).toBeNull();
    expect(app.notices.toasts).toEqual([]);
  });
});
