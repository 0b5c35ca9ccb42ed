import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import AppView from '../src/App.svelte';
import { BINDINGS } from '../src/commands/scopes';
import { COMMANDS, isOn, type Scope } from '../src/commands/table';
import type { TrackItem } from '../src/bindings';
import { App } from '../src/state/app.svelte';
import type { LibraryTab } from '../src/pages/library/state/library.svelte';
import { text } from '../src/text/catalogue';
import { by, find, show, until } from './mounted';
import { analysedOf, recorded } from './recorded';

afterEach(() => {
  vi.restoreAllMocks();
});

const press = (element: Element, name: string, init: KeyboardEventInit = {}): boolean => {
  const event = new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...init });
  // The test's document takes Alt for AltGr.
  event.getModifierState = () => false;
  element.dispatchEvent(event);
  flushSync();
  return event.defaultPrevented;
};

async function start(tab: LibraryTab): Promise<{ app: App; rows: TrackItem[] }> {
  const backend = recorded('library');
  const app = new App(backend);
  show(AppView, { app });
  await until(() => app.ready);
  app.showPage('library');
  await until(() => app.library.view !== null && app.library.rows.total !== null);
  app.library.tab = tab;
  flushSync();
  return { app, rows: await analysedOf(backend) };
}

/** Brings a part of the page up, with something in it, and gives what has its focus there. */
const SCOPES: Record<Exclude<Scope, 'rack' | 'inputs' | 'versions' | 'markers'>, (app: App, rows: TrackItem[]) => Promise<HTMLElement>> = {
  tracks: async () => by('track-table'),
  async copies(app) {
    app.library.tab = 'duplicates';
    await app.library.questions.duplicates.find();
    await until(() => app.library.questions.duplicates.groups.length > 0);
    await until(() => document.querySelector('[data-row="1"]'));
    return document.querySelector<HTMLElement>('[data-row="1"]')!;
  },
  async answers(app, rows) {
    app.library.showSimilar(rows[0]?.id ?? 0);
    await until(() => find('similar-0'));
    return by('similar-0');
  },
  async playlist(app, rows) {
    await app.library.showPlaylistLike(rows[0]?.id ?? 0);
    await until(() => find('playlist-list'));
    return by('playlist-list');
  },
  async map(app) {
    app.library.tab = 'map';
    await app.library.questions.map.make();
    await until(() => find('map-canvas'));
    return by('map-canvas');
  },
  async listening(app, rows) {
    const [a, b] = rows;
    if (a && b) await app.library.questions.audition.compareTracks(a, b);
    await until(() => find('audition'));
    return by('audition');
  },
};

const NAMES: [event: string, combo: string][] = [
  ...[...'abcdefghijklmnopqrstuvwxyz'].map((letter): [string, string] => [letter, letter.toUpperCase()]),
  ...[...'0123456789[]/,.=-;?'].map((sign): [string, string] => [sign, sign]),
  ...['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].map((name): [string, string] => [name, name.slice(5)]),
  ...['PageUp', 'PageDown', 'Home', 'End', 'Enter', 'Delete', 'Backspace', 'Insert', 'Escape', 'ContextMenu', 'F1', 'F2', 'F5', 'F6', 'F10'].map((name): [string, string] => [name, name]),
  [' ', 'Space'],
];
const HELD: [string, KeyboardEventInit][] = [
  ['', {}],
  ['Shift+', { shiftKey: true }],
  ['Ctrl+', { ctrlKey: true }],
  ['Ctrl+Shift+', { ctrlKey: true, shiftKey: true }],
  ['Alt+', { altKey: true }],
];
const isSign = (combo: string): boolean => /^[^A-Za-z]$/.test(combo);

/** All combinations that do something where an element has the focus, without doing it. */
function handledAt(element: HTMLElement): Set<string> {
  const handled = new Set<string>();
  for (const [modifiers, init] of HELD) {
    for (const [name, combo] of NAMES) {
      // Shift makes another sign of a sign.
      if (modifiers.includes('Shift') && isSign(combo)) continue;
      if (press(element, name, init)) handled.add(`${modifiers}${combo}`);
    }
  }
  return handled;
}

/** The keys on the sheet, by group: as the command table writes them, all else as people read it. */
function listed(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const section of by('shortcuts').querySelectorAll('section')) found.set(section.querySelector('h3')?.textContent ?? '', [...section.querySelectorAll<HTMLElement>('kbd')].map((key) => key.dataset['combo'] ?? key.textContent ?? ''));
  return found;
}

describe('the shortcut sheet', () => {
  it.each(Object.keys(SCOPES) as (keyof typeof SCOPES)[])('lists every key that does something in the part %s, and no other', async (scope) => {
    const { app, rows } = await start('tracks');
    const element = await SCOPES[scope](app, rows);
    for (const command of COMMANDS) {
      vi.spyOn(command, 'run').mockReturnValue(undefined);
      if (command.enabled) vi.spyOn(command, 'enabled').mockReturnValue(true);
    }
    element.focus();
    const handled = handledAt(element);
    vi.restoreAllMocks();
    app.dialogs.open = 'shortcuts';
    await until(() => find('shortcuts'));
    const sheet = listed();
    const own = sheet.get(text.shortcuts.scopes[scope]) ?? [];
    // Letters of the table are one line of the sheet.
    const typed = (combo: string): boolean => scope === 'tracks' && own.includes('Letters') && /^(Shift\+)?([A-Z]|[^A-Za-z])$/.test(combo);
    const all = new Set([...sheet.values()].flat());
    const unlisted = [...handled].filter((combo) => !typed(combo) && !all.has(combo));
    expect(unlisted).toEqual([]);
    expect(own.length).toBeGreaterThan(0);
    const bound = BINDINGS.filter((binding) => binding.scope === scope).map(({ combo }) => combo);
    expect(bound.length).toBeGreaterThan(0);
    for (const combo of bound) {
      expect(own, combo).toContain(combo);
      expect(handled.has(combo), `${combo} does nothing`).toBe(true);
    }
    // Keys that work everywhere on the page work here, too, unless they mean something else here.
    for (const { combo, command, scope: where } of BINDINGS) {
      if (where === null && isOn(command, 'library') && NAMES.some(([, name]) => combo.endsWith(name))) expect(handled.has(combo), `${combo} is lost`).toBe(true);
    }
  });

  it('names the keys that the page was asked about', async () => {
    const { app } = await start('tracks');
    app.dialogs.open = 'shortcuts';
    await until(() => find('shortcuts'));
    const sheet = listed();
    const { scopes } = text.shortcuts;
    // The page that is looked at comes first, and keys that are held with many others are named once.
    expect([...sheet.keys()].indexOf(scopes.map)).toBeLessThan([...sheet.keys()].indexOf(text.menus.effects));
    const moves = document.querySelector('kbd[data-combo="Ctrl+Shift+PageDown"]');
    expect(moves?.textContent).toBe('Page Down');
    expect(moves?.parentElement?.querySelector('kbd')?.textContent).toBe('Ctrl+Shift');
    expect(sheet.get(text.menus.library)).toEqual(expect.arrayContaining(['X', 'Left', 'Shift+Right']));
    expect(sheet.get(scopes.answers)).toEqual(expect.arrayContaining(['C', 'Enter', 'Space']));
    expect(sheet.get(scopes.map)).toEqual(expect.arrayContaining(['H', 'Shift+drag', 'Ctrl+Shift+drag', 'Wheel']));
    expect(sheet.get(scopes.copies)).toEqual(expect.arrayContaining(['Delete', 'Shift+Delete']));
    expect(sheet.get(scopes.tracks)).toEqual(expect.arrayContaining(['Delete', 'Letters', 'Ctrl+Space', 'Ctrl+Shift+PageDown']));
    const input = by<HTMLInputElement>('shortcuts-search');
    input.value = 'lasso';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    expect([...listed().keys()]).toEqual([scopes.map]);
  });
});

describe('the command palette', () => {
  it('has every command of the page but those that need their key to know where to', async () => {
    const { app } = await start('map');
    app.dialogs.open = 'palette';
    await until(() => find('palette'));
    const shown = [...by('palette').querySelectorAll('[role="option"]')].map((option) => option.textContent ?? '');
    const missing = COMMANDS.filter((command) => command.page === 'library' && !command.byKey && !shown.some((each) => each.includes(command.title)));
    expect(missing.map((command) => command.id)).toEqual([]);
    for (const command of COMMANDS.filter((each) => each.byKey)) expect(command.unlisted, command.id).toBe(true);
  });
});

describe('keys of the page', () => {
  it('mark copies and keep the best where a copy has the focus, and move files to the bin from the table only', async () => {
    const { app, rows } = await start('tracks');
    const { duplicates, bin } = app.library.questions;
    const row = await SCOPES.copies(app, rows);
    row.focus();
    press(row, 'Delete', { shiftKey: true });
    expect(duplicates.marks.size).toBe((duplicates.groups[0]?.length ?? 0) - 1);
    expect(bin.phase).toBeNull();
    // A checkbox in the row is no row.
    const box = row.querySelector<HTMLElement>('input')!;
    const marks = [...duplicates.marks];
    press(box, 'Delete');
    expect([...duplicates.marks]).toEqual(marks);
    app.library.tab = 'tracks';
    flushSync();
    app.library.current = rows[0]?.id ?? null;
    press(by('track-table'), 'Delete');
    await until(() => bin.phase === 'asking');
  });

  it('go back and forth in what is listened to, a second or ten, wherever the focus is but in fields and sliders', async () => {
    const { app, rows } = await start('tracks');
    const { audition } = app.library.questions;
    const row = rows.find((each) => (each.duration_s ?? 0) > 50);
    if (!row) throw new Error('no row');
    await audition.playTrack(row, 30);
    await audition.stop();
    const from = audition.at();
    press(document.body, 'ArrowRight');
    await until(() => audition.at() === from + 1);
    expect(audition.playing).toBe(false);
    press(by('track-table'), 'ArrowLeft', { shiftKey: true });
    await until(() => audition.at() === from - 9);
    // Keys that are held are followed once they rest, from where they have led.
    for (let step = 0; step < 5; step++) press(document.body, 'ArrowRight');
    expect(audition.sought).toBe(from - 4);
    await until(() => audition.at() === from - 4 && audition.sought === null);
    const query = document.getElementById('library-query')!;
    press(query, 'ArrowRight');
    expect(audition.sought).toBeNull();
    await audition.play(50);
    press(document.body, 'ArrowLeft', { shiftKey: true });
    await until(() => audition.sought === null);
    expect(audition.playing).toBe(true);
    expect(audition.at()).toBeGreaterThanOrEqual(40);
    expect(audition.at()).toBeLessThan(49);
    press(document.body, 'Home');
    for (let step = 0; step < 20; step++) press(document.body, 'ArrowLeft', { shiftKey: true });
    expect(audition.sought).toBe(0);
  });

  it('play what the bar shows although no track is chosen, by key and by button', async () => {
    const { app, rows } = await start('tracks');
    const { audition } = app.library.questions;
    const [row] = rows;
    if (!row) throw new Error('no row');
    expect(by<HTMLButtonElement>('play').disabled).toBe(true);
    await audition.playTrack(row, 10);
    await audition.stop();
    flushSync();
    expect(app.library.current).toBeNull();
    expect(by<HTMLButtonElement>('play').disabled).toBe(false);
    press(document.body, ' ');
    await until(() => audition.playing);
    press(document.body, ' ');
    await until(() => !audition.playing);
    by('play').click();
    await until(() => audition.sounding === row.id);
  });

  it('leave the table its sideways arrows while nothing is listened to', async () => {
    const { app, rows } = await start('tracks');
    const table = by('track-table');
    table.scrollLeft = 0;
    press(table, 'ArrowRight');
    expect(table.scrollLeft).toBe(60);
    const [row] = rows;
    if (row) await app.library.questions.audition.playTrack(row, 30);
    press(table, 'ArrowRight');
    expect(table.scrollLeft).toBe(60);
    press(table, 'ArrowRight', { ctrlKey: true });
    expect(table.scrollLeft).toBe(120);
  });
});

describe('A and B', () => {
  it('are the comparison’s on the library’s page, also while it is silent', async () => {
    const { app, rows } = await start('duplicates');
    const { audition } = app.library.questions;
    const [a, b] = rows;
    if (!a || !b) throw new Error('no rows');
    await audition.compareTracks(a, b);
    await audition.stop();
    flushSync();
    expect(audition.side).toBe('b');
    press(document.body, 'a');
    expect(audition.side).toBe('a');
    expect(by('side-a').getAttribute('aria-pressed')).toBe('true');
    expect(by('audition-a').getAttribute('aria-checked')).toBe('true');
    // The side that the editor lets hear is not touched.
    expect(app.player.side).toBe('processed');
    await audition.play();
    expect(app.player.side).toBe('original');
    expect(audition.sounding).toBe(a.id);
    press(document.body, 'b');
    await until(() => audition.sounding === b.id);
    press(document.body, 'x');
    await until(() => audition.sounding === a.id);
  });

  it('hold for the comparison although a recording was played since', async () => {
    const { app, rows } = await start('duplicates');
    const { audition } = app.library.questions;
    const [a, b] = rows;
    if (!a || !b) throw new Error('no rows');
    await audition.compareTracks(a, b);
    await app.documents.open('demo');
    await app.player.play(app.documents.active!, 0);
    await app.player.setSide('original');
    app.showPage('library');
    flushSync();
    // While the recording sounds, it is what the keys are about.
    press(document.body, 'b');
    await until(() => app.player.side === 'processed');
    await app.player.stop();
    await app.player.setSide('original');
    flushSync();
    press(document.body, 'b');
    expect(app.player.side).toBe('original');
    await audition.play();
    await until(() => audition.sounding === b.id);
  });

  it('are the recording’s in the editor', async () => {
    const { app, rows } = await start('duplicates');
    const { audition } = app.library.questions;
    const [a, b] = rows;
    if (a && b) await audition.compareTracks(a, b);
    await audition.hear('a');
    await audition.stop();
    await audition.hear('b');
    await app.documents.open('demo');
    flushSync();
    expect(app.page).toBe('editor');
    // A track was heard as the original side of an audition; the editor's side is what it was.
    expect(app.player.side).toBe('original');
    expect([app.sides.side, by('side-b').getAttribute('aria-pressed')]).toEqual(['processed', 'true']);
    expect([by('side-a'), by('side-b')].map((side) => side.textContent?.trim())).toEqual(['Original', 'Processed']);
    press(document.body, 'a');
    await until(() => app.player.side === 'original');
    expect(audition.side).toBe('b');
  });
});
