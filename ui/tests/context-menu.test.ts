// The menus of the right button and of the menu key, and the menus at the top by keys.

import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { COMMANDS } from '../src/commands/table';
import type { App } from '../src/state/app.svelte';
import { openDemo, settle } from './demo-window';
import { by, find, key } from './mounted';

/** Opens the menu of an element and returns the names of its entries; checks that the web view's menu stays away. */
async function menuOf(element: Element): Promise<string[]> {
  const event = new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: 40, clientY: 40, button: 2 });
  element.dispatchEvent(event);
  expect(event.defaultPrevented, 'the web view shows no menu of its own').toBe(true);
  await settle();
  return [...document.querySelectorAll('[data-testid="context-menu"] [role="menuitem"]')].map((each) => each.querySelector('.menu-title')?.textContent ?? '');
}

async function choose(id: string): Promise<void> {
  by(id).dispatchEvent(new PointerEvent('pointerup', { bubbles: true, cancelable: true, button: 0 }));
  by(id).click();
  await settle();
}

async function close(): Promise<void> {
  key(document.activeElement ?? document.body, 'Escape');
  await settle();
}

const lanes = () => document.querySelector<HTMLElement>('.stage')!;
const spectrogram = (app: App) => {
  app.settings.setDisplay({ blend: 1 });
  flushSync();
};

afterEach(() => vi.restoreAllMocks());

describe('the menu at the pointer', () => {
  it('holds commands of the table with their keys, by what is under it', async () => {
    await openDemo('gain(-3 dB)');
    const titles = new Set(COMMANDS.map((command) => command.title));
    const names = await menuOf(lanes());
    expect(names).toEqual(expect.arrayContaining(['Play or stop', 'Select all', 'Zoom to fit', 'Go to time…', 'Export picture…', 'Add effect…']));
    expect(names.filter((name) => !titles.has(name))).toEqual(['Clip', 'Colours', 'Waveform and spectrogram']);
    expect(by('context-menu').querySelector('[data-testid="command-go-to"] kbd')?.textContent).toBe('Ctrl+G');
    await choose('command-go-to');
    expect(find('context-menu')).toBeNull();
    expect(find('go-to')).not.toBeNull();
  });

  it('is another one over the selection, the rulers and the overview', async () => {
    const app = await openDemo('gain(-3 dB)');
    spectrogram(app);
    expect(await menuOf(document.querySelector('[data-menu$="-ruler"]')!)).toEqual(expect.arrayContaining(['Frequency ruler: Hz', 'Frequency ruler: Notes', 'Scale', 'Show all frequencies']));
    await close();
    expect(await menuOf(by('colour-gain'))).toEqual(expect.arrayContaining(['Colours', 'Brighter', 'Reset gain and range of the colours', 'Spectrogram settings…', 'Export picture…']));
    await close();
    expect(await menuOf(by('overview'))).toEqual(expect.arrayContaining(['Zoom to fit', 'Go to time…']));
    await close();
    lanes().dataset['menu'] = 'time-ruler';
    app.documents.active!.selection = { start: 1000, end: 2000 };
    flushSync();
    expect(await menuOf(lanes())).toEqual(expect.arrayContaining(['Play selection once', 'Heal selection', 'Clear selection', 'Zoom to selection']));
    await close();
    expect(find('context-menu')).toBeNull();
    expect(app.documents.active?.selection, 'Escape closes the menu and nothing else').not.toBeNull();
    app.settings.setDisplay({ blend: 0 });
    flushSync();
    expect(await menuOf(document.querySelector('[data-menu$="-ruler"]')!)).toEqual(expect.arrayContaining(['Show waveform']));
  });

  it('is the menu of a tab, whichever is in front', async () => {
    const app = await openDemo('gain(-3 dB)');
    const { documents } = app;
    const front = documents.active!;
    // A second one, as if it were open.
    const { DocumentState } = await import('../src/state/document.svelte');
    const other = new DocumentState({ ...app.backend, call: () => new Promise(() => undefined) } as never, { ...front.data, id: 99, name: 'Other.wav' }, () => undefined);
    documents.all = [front, other];
    flushSync();
    const closed = vi.spyOn(documents, 'close').mockResolvedValue();
    const call = vi.spyOn(app.backend, 'call').mockResolvedValue(null as never);
    expect(await menuOf(by('tab-99'))).toEqual(['Close', 'Close the other documents', expect.stringMatching(/^Reopen/), 'Copy path', 'Separate stems…', 'Show in folder']);
    await choose('command-close');
    expect(closed).toHaveBeenLastCalledWith(99);
    await menuOf(by('tab-99'));
    await choose('command-close-others');
    expect(closed).toHaveBeenLastCalledWith(front.id);
    await menuOf(by('tab-99'));
    await choose('command-show-file');
    expect(call).toHaveBeenLastCalledWith('workspace.show_file', { document: 99 });
  });

  it('is the same for a slot as behind its button, and names it where it stands', async () => {
    await openDemo('gain(-3 dB)');
    const names = await menuOf(by('slot-1').querySelector('header')!);
    expect(names).toEqual(expect.arrayContaining(['Rename…', 'Bypass', 'Duplicate', 'Group in parallel', 'Remove']));
    expect(by('slot-remove').querySelector('kbd')?.textContent).toBe('Ctrl+Del');
    await choose('slot-rename');
    expect(document.activeElement).toBe(by('rename'));
  });

  it('resets, types and copies a parameter', async () => {
    const app = await openDemo('gain(-3 dB)');
    const edit = vi.spyOn(app.documents.active!, 'edit').mockReturnValue(undefined);
    const written: string[] = [];
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: (text: string) => Promise.resolve(void written.push(text)) } });
    expect(await menuOf(by('slider-gain'))).toEqual(['Reset to 0 dB', 'Type a value', 'Copy −3 dB', 'About Gain…']);
    await choose('parameter-reset');
    expect(edit).toHaveBeenLastCalledWith(expect.objectContaining({ kind: 'set_argument', name: 'gain', value: 0 }));
    await menuOf(by('slider-gain'));
    await choose('parameter-copy');
    expect(written).toEqual(['−3 dB']);
    await menuOf(by('slider-gain'));
    await choose('parameter-type');
    expect(document.activeElement).toBe(by('param-gain'));
    await menuOf(by('slider-mix'));
    expect(by('parameter-reset').hasAttribute('data-disabled'), 'it is at its default').toBe(true);
    await close();
    await menuOf(by('slider-gain'));
    await choose('parameter-help');
    expect(app.dialogs.open).toBe('effects');
  });

  it('edits text, and what is being typed is not over', async () => {
    const app = await openDemo('gain(-3 dB)');
    const edit = vi.spyOn(app.documents.active!, 'edit');
    const field = by<HTMLInputElement>('param-gain');
    field.focus();
    field.value = '-6';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    const names = await menuOf(field);
    expect(names).toEqual(expect.arrayContaining(['Cut', 'Copy', 'Paste', 'Select all', 'Undo typing', 'Reset to 0 dB']));
    expect(edit).not.toHaveBeenCalled();
    await close();
    expect(document.activeElement).toBe(field);
    expect([field.value, edit.mock.calls.length]).toEqual(['-6', 0]);
  });

  it('opens by key for what has the focus', async () => {
    await openDemo('gain(-3 dB)');
    by('slot-1').focus();
    key(by('slot-1'), 'F10', { shiftKey: true });
    await settle();
    expect(find('slot-rename')).not.toBeNull();
    await close();
    expect(document.activeElement).toBe(by('slot-1'));
    lanes().focus();
    key(lanes(), 'ContextMenu');
    await settle();
    expect(find('command-zoom-fit')).not.toBeNull();
  });

  it('is none where nothing can be done', async () => {
    await openDemo('gain(-3 dB)');
    expect(await menuOf(by('menu-file'))).toEqual([]);
    expect(find('context-menu')).toBeNull();
  });
});

describe('the menus at the top', () => {
  it('open by F10 and by Alt with their letter, which Alt shows, and give the focus back', async () => {
    await openDemo('gain(-3 dB)');
    by('slot-1').focus();
    key(by('slot-1'), 'F10');
    await settle();
    expect(by('menu-file').getAttribute('aria-expanded')).toBe('true');
    expect(by('menu-of-file').contains(document.activeElement)).toBe(true);
    await close();
    expect(by('menu-file').getAttribute('aria-expanded')).toBe('false');
    expect(document.activeElement).toBe(by('slot-1'));
    key(by('slot-1'), 'Alt', { altKey: true });
    expect(document.querySelector('.menubar.lettered')).not.toBeNull();
    expect([...document.querySelectorAll('.menubar .letter')].map((each) => each.textContent)).toEqual(['F', 'E', 'V', 'T', 'c', 'H']);
    key(by('slot-1'), 'c', { altKey: true });
    await settle();
    expect(by('menu-effects').getAttribute('aria-expanded')).toBe('true');
    expect(find('command-add-effect')).not.toBeNull();
  });

  it('do what is chosen once the focus is back', async () => {
    const app = await openDemo('gain(-3 dB)');
    const edited = vi.spyOn(app.documents.active!, 'editSound').mockResolvedValue();
    key(document.body, 'e', { altKey: true });
    await settle();
    await choose('command-sound-reverse');
    expect(edited).toHaveBeenLastCalledWith({ kind: 'reverse' }, false);
    expect(document.activeElement?.closest('.menubar') ?? null).toBeNull();
  });
});

describe('the bars', () => {
  it('have menus: clock, meters, transport and status', async () => {
    const app = await openDemo('gain(-3 dB)');
    const written: string[] = [];
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: (text: string) => Promise.resolve(void written.push(text)) } });
    app.documents.active?.setCursor(48_000);
    expect(await menuOf(by('time-code'))).toEqual(expect.arrayContaining(['Copy position', 'Go to time…', 'Time format']));
    await choose('copy-position');
    expect(written).toEqual(['0:01.000']);
    expect(await menuOf(by('meters'))).toEqual(expect.arrayContaining(['Reset clipping', 'Copy levels']));
    await close();
    expect(await menuOf(by('play'))).toEqual(expect.arrayContaining(['Play or stop', 'Loop selection']));
    await close();
    app.documents.active?.commitSelection({ start: 48_000, end: 96_000 });
    flushSync();
    expect(await menuOf(by('status-selection').querySelector('.name')!)).toEqual(expect.arrayContaining(['Copy times of the selection']));
    await choose('copy-selection');
    expect(written.at(-1)).toBe('0:01.000 – 0:02.000');
  });
});

describe('a picture of a track', () => {
  it('plays from where the pointer is, and copies what stands there', async () => {
    const app = await openDemo('gain(-3 dB)');
    const play = vi.spyOn(app.library, 'play').mockResolvedValue();
    const written: string[] = [];
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: (text: string) => Promise.resolve(void written.push(text)) } });
    const picture = document.createElement('div');
    Object.assign(picture.dataset, { menu: 'series', about: '7', at: '12.5', value: '0:12.5  92 BPM', playable: 'true' });
    document.querySelector('[data-testid="app"]')!.append(picture);
    expect(await menuOf(picture)).toEqual(['Play from here', 'Copy value', 'Colours']);
    await choose('series-play');
    expect(play).toHaveBeenLastCalledWith(7, 12.5);
    await menuOf(picture);
    await choose('series-copy');
    expect(written).toEqual(['0:12.5  92 BPM']);
  });
});

describe('the menus at the top', () => {
  const ROWS = 21;
  it('are short enough for a small window, with the theme and the lanes within reach', async () => {
    const app = await openDemo('gain(-3 dB)');
    for (const page of ['editor', 'library', 'batch'] as const) {
      for (const menu of ['file', 'edit', 'view', 'transport', 'effects', 'library', 'batch', 'help'] as const) {
        const listed = COMMANDS.filter((command) => command.menu === menu && !command.unlisted && (command.page ?? page) === page);
        const rows = new Set(listed.map((command) => (command.sub ? `sub ${command.sub.menu}` : command.id)));
        expect(rows.size, `${menu} on the page ${page}: ${[...rows]}`).toBeLessThanOrEqual(ROWS);
      }
    }
    document.querySelector<HTMLElement>('[data-testid="menu-view"]')?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0 }));
    await settle();
    const names = [...document.querySelectorAll('[data-testid="menu-of-view"] [role="menuitem"]')].map((each) => each.querySelector('.menu-title')?.textContent);
    expect(names.slice(0, 3)).toEqual(['Show waveform', 'Show waveform over spectrogram', 'Show spectrogram']);
    expect(names).toEqual(expect.arrayContaining(['Zoom', 'Theme']));
    void app;
  });

  it('have a switch beside the tabs for what the lanes show', async () => {
    const app = await openDemo('gain(-3 dB)');
    const shown = () => [...by('lane-switch').querySelectorAll('[aria-checked="true"]')].map((each) => each.textContent?.trim());
    app.settings.setDisplay({ blend: 0 });
    flushSync();
    expect(shown()).toEqual(['Waveform']);
    by('lanes-spectrogram').click();
    flushSync();
    expect([shown(), app.settings.now.spectrogram.display.blend]).toEqual([['Spectrogram'], 1]);
    by('lanes-both').click();
    flushSync();
    expect([shown(), app.settings.now.spectrogram.display.blend]).toEqual([['Both'], 0.6]);
  });
});

describe('space', () => {
  it('plays before any control takes it, and a button is pressed by Enter alone', async () => {
    const app = await openDemo('gain(-3 dB)');
    const toggle = vi.spyOn(app.player, 'toggle').mockResolvedValue();
    const clicked = vi.fn();
    const controls = ['bypass-1', 'slider-gain', 'slot-1', 'add-effect', 'slot-menu-1', 'grip-1', 'spectrogram-open', 'device-chip', 'menu-file'];
    for (const id of controls) {
      by(id).addEventListener('click', clicked);
      by(id).focus();
      const event = key(by(id), ' ');
      const up = new KeyboardEvent('keyup', { key: ' ', bubbles: true, cancelable: true });
      by(id).dispatchEvent(up);
      expect([event.defaultPrevented, up.defaultPrevented], id).toEqual([true, true]);
    }
    await settle();
    expect(toggle).toHaveBeenCalledTimes(controls.length);
    expect(clicked).not.toHaveBeenCalled();
    expect(document.querySelector('[role="menu"]')).toBeNull();
    by('chain-text').focus();
    expect(key(by('chain-text'), ' ').defaultPrevented).toBe(false);
  });

  it('plays after an effect was added, which has the focus as a whole', async () => {
    const app = await openDemo('gain(-3 dB)');
    app.documents.active!.focusNode = app.documents.active!.chain.nodes[0]!.id;
    flushSync();
    expect(document.activeElement).toBe(by('slot-1'));
    const toggle = vi.spyOn(app.player, 'toggle').mockResolvedValue();
    key(by('slot-1'), ' ');
    expect(toggle).toHaveBeenCalledTimes(1);
  });
});
