// The settings of keys: changed by pressing them, conflicts settled, shown everywhere; files of keys.

import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { commandFor } from '../src/commands/keyboard';
import { holdersOf, keysOf, shortcutOf, withKeys, written } from '../src/commands/keymap';
import { KEY_SLOTS } from '../src/commands/scopes';
import type { App } from '../src/state/app.svelte';
import { openDemo, settle } from './demo-window';
import { by, find } from './mounted';

const event = (key: string, init: KeyboardEventInit = {}): KeyboardEvent => {
  const made = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  // The test's document takes Alt for AltGr.
  made.getModifierState = () => false;
  return made;
};
async function press(id: string, key: string, init: KeyboardEventInit = {}): Promise<void> {
  by(id).dispatchEvent(event(key, init));
  await settle();
}
async function click(id: string): Promise<void> {
  by(id).click();
  await settle();
}
const slot = (id: string) => KEY_SLOTS.find((each) => each.id === id)!;
const rows = () => [...document.querySelectorAll<HTMLElement>('[data-slot]')].map((row) => row.dataset['slot']);
const runs = (app: App, key: string, init: KeyboardEventInit = {}): string | undefined => {
  const pressed = event(key, init);
  Object.defineProperty(pressed, 'target', { value: document.body });
  return commandFor(pressed, app)?.id;
};

async function opened(): Promise<App> {
  const app = await openDemo('gain(-1 dB)');
  app.dialogs.showSettings('keyboard');
  await settle();
  return app;
}

describe('the settings of keys', () => {
  it('list every command once for each place, and find them by name and by key', async () => {
    await opened();
    expect(rows()).toEqual(expect.arrayContaining(['play', 'tracks-open', 'tracks-open@tracks', 'menu-open']));
    expect(new Set(rows()).size).toBe(KEY_SLOTS.length);
    // Keys that belong to the control with the focus are listed, and cannot be changed.
    expect(find('key-add-menu-open')).toBeNull();
    const search = by<HTMLInputElement>('keys-search');
    search.value = 'zoom sel';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    expect(rows()).toEqual(['zoom-selection']);
    search.value = '';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await click('keys-by-key');
    await press('key-capture', 'g', { ctrlKey: true });
    expect(rows()).toEqual(expect.arrayContaining(['go-to', 'group-series']));
    expect(rows()).toHaveLength(2);
    expect(by('keys-sought').textContent).toContain('Ctrl+G');
  });

  it('take the key that is pressed, and show it wherever the old one stood', async () => {
    const app = await opened();
    await click('key-add-follow');
    await press('key-capture', 'Shift');
    expect(find('key-capture'), 'a modifier is no key').not.toBeNull();
    await press('key-capture', 'Tab');
    expect(by('key-row-follow').textContent).toContain('Tab moves the focus');
    await press('key-capture', 'F9');
    expect(app.settings.now.keys.commands).toEqual({ follow: ['F', 'F9'] });
    document.querySelector<HTMLElement>('[data-slot="loop"] .key')?.click();
    await settle();
    await press('key-capture', 'F7', { ctrlKey: true });
    expect(keysOf(app, 'loop')).toEqual(['Ctrl+F7']);
    app.dialogs.open = null;
    await settle();
    expect(runs(app, 'F9')).toBe('follow');
    expect(runs(app, 'F7', { ctrlKey: true })).toBe('loop');
    expect(runs(app, 'l')).toBeUndefined();
    expect(by('loop').title).toContain('Ctrl+F7');
    app.dialogs.open = 'palette';
    await settle();
    expect(document.querySelector('[data-testid="palette"]')?.textContent).toContain('Ctrl+F7');
    app.dialogs.open = 'shortcuts';
    await settle();
    expect(document.querySelector('kbd[data-combo="Ctrl+F7"]')).not.toBeNull();
    expect(document.querySelector('kbd[data-combo="L"]')?.closest('section')?.querySelector('h3')?.textContent).not.toBe('Transport');
  });

  it('ask whose a key is that another command has', async () => {
    const app = await opened();
    await click('key-add-follow');
    await press('key-capture', 'l');
    expect(by('key-asked').textContent).toContain('Loop');
    expect(app.settings.now.keys.commands).toEqual({});
    await click('key-take');
    expect(app.settings.now.keys.commands).toEqual({ follow: ['F', 'L'], loop: [] });
    // Both may keep it: the row says so, and the filter finds them.
    await click('key-add-devices');
    await press('key-capture', 'l');
    await click('key-keep');
    expect(holdersOf(app, slot('devices'), 'L').map(({ id }) => id)).toEqual(['follow']);
    expect(by('key-row-devices').textContent).toContain('also a key of');
    // A cancelled change changes nothing.
    const before = app.settings.now.keys.commands;
    await click('key-add-play');
    await press('key-capture', 'l');
    await click('key-cancel');
    await click('key-add-play');
    await press('key-capture', 'Escape');
    expect(app.settings.now.keys.commands).toEqual(before);
    expect(app.dialogs.open, 'Escape ended the capture only').toBe('settings');
    await click('key-reset-follow');
    expect(app.settings.now.keys.commands).toEqual({ loop: [], devices: ['D', 'L'] });
    await click('keys-reset-all');
    await click('keys-reset-sure');
    expect(app.settings.now.keys.commands).toEqual({});
  });

  it('do not take a key of another place for a conflict', async () => {
    const app = await opened();
    // Ctrl+D duplicates a slot in the rack, and the sound everywhere else; the library has separate keys.
    expect(holdersOf(app, slot('sound-duplicate'), 'Ctrl+D')).toEqual([]);
    expect(holdersOf(app, slot('zoom-fit'), 'Ctrl+F')).toEqual([]);
    expect(holdersOf(app, slot('zoom-fit'), 'Ctrl+,').map(({ id }) => id)).toEqual(['settings']);
  });
});

describe('files of keys', () => {
  it('have the keys of all commands, and keep what this version does not know', async () => {
    const app = await opened();
    app.settings.now = { ...app.settings.now, keys: { version: 1, commands: { play: ['F5'], 'of-the-future': ['F6'] } } };
    const all = written(app).commands;
    expect(all['play']).toEqual(['F5']);
    expect(all['undo']).toEqual(['Ctrl+Z']);
    expect(all['of-the-future']).toEqual(['F6']);
    expect(all['menu-open']).toBeUndefined();
    // Imported again, only what is not the standard stays.
    expect(withKeys({ version: 1, commands: {} }, new Map(Object.entries(all))).commands).toEqual({ play: ['F5'], 'of-the-future': ['F6'] });
    expect(shortcutOf(app, 'play')).toBe('F5');
  });
});
