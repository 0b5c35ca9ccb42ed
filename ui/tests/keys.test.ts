import { afterEach, describe, expect, it, vi } from 'vitest';
import { commandFor, handleKey } from '../src/commands/keyboard';
import { BINDINGS } from '../src/commands/scopes';
import { COMMANDS, isOn } from '../src/commands/table';
import { comboFromEvent, shownCombo } from '../src/lib/keys';
import { App } from '../src/state/app.svelte';
import { recorded } from './recorded';

const press = (key: string, modifiers: KeyboardEventInit = {}, target: Element = document.body): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers });
  Object.defineProperty(event, 'target', { value: target });
  // The test's document takes Alt for AltGr.
  event.getModifierState = () => false;
  return event;
};

async function opened(): Promise<App> {
  const app = new App(recorded('demo'));
  await app.start();
  await app.documents.open('demo');
  return app;
}

afterEach(() => {
  document.body.innerHTML = '';
});

describe('the command table', () => {
  it.each(['editor', 'library', 'batch', 'compare'] as const)('gives every key on the page %s to one command only', (page) => {
    const keys = BINDINGS.filter(({ command }) => isOn(command, page)).map(({ combo, scope }) => `${scope ?? ''} ${combo}`);
    expect(keys.length).toBeGreaterThan(20);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('gives every command a name of its own', () => {
    expect(new Set(COMMANDS.map((command) => command.id)).size).toBe(COMMANDS.length);
    // Where two could be meant at once, their titles tell them apart.
    for (const page of ['editor', 'library', 'batch', 'compare', 'help'] as const) {
      const titles = COMMANDS.filter((command) => isOn(command, page)).map(({ scope, title }) => `${scope ?? ''} ${title}`);
      expect(new Set(titles).size, page).toBe(titles.length);
    }
  });

  it.each([
    ['Space', 'play'],
    ['Shift+Space', 'play-selection'],
    ['Left', 'back'],
    ['Right', 'forward'],
    ['L', 'loop'],
    ['[', 'selection-start'],
    [']', 'selection-end'],
    ['Ctrl+A', 'select-all'],
    ['Ctrl+=', 'zoom-in'],
    ['Ctrl+-', 'zoom-out'],
    ['Ctrl+E', 'zoom-selection'],
    ['Ctrl+F', 'zoom-fit'],
    ['E', 'add-effect'],
    ['Ctrl+Z', 'undo'],
    ['Ctrl+Shift+Z', 'redo'],
    ['Ctrl+O', 'open'],
    ['Ctrl+Shift+E', 'export'],
    ['Ctrl+,', 'settings'],
    ['F6', 'next-region'],
    ['Ctrl+/', 'shortcuts'],
    ['Ctrl+K', 'palette'],
    ['Ctrl+Space', 'pause'],
    ['P', 'pause'],
    ['Ctrl+G', 'go-to'],
    ['T', 'band-tool'],
    ['M', 'marker-add'],
    ['Ctrl+M', 'marker-add'],
    ['Ctrl+B', 'region-add'],
    ['Alt+Right', 'marker-next'],
    ['F2', 'marker-rename'],
    ['F1', 'help'],
    ['?', 'help'],
    ['F10', 'menu-bar'],
    ['Alt+F', 'menu-open'],
    ['Shift+F10', 'context-menu'],
  ])('has %s, which hands already know', (key, id) => {
    expect(COMMANDS.find((command) => isOn(command, 'editor') && command.keys.includes(key))?.id).toBe(id);
  });
});

describe('combinations', () => {
  it.each([
    ['e', { ctrlKey: true, shiftKey: true }, 'Ctrl+Shift+E'],
    ['E', { shiftKey: true, ctrlKey: true }, 'Ctrl+Shift+E'],
    [' ', { shiftKey: true }, 'Shift+Space'],
    ['+', { ctrlKey: true, shiftKey: true }, 'Ctrl+='],
    ['=', { ctrlKey: true }, 'Ctrl+='],
    ['/', { ctrlKey: true, shiftKey: true }, 'Ctrl+/'],
    ['ArrowUp', { altKey: true }, 'Alt+Up'],
    ['F6', { shiftKey: true }, 'Shift+F6'],
  ] as const)('%s with %o is %s', (key, modifiers, combo) => {
    expect(comboFromEvent(press(key, modifiers), false)).toBe(combo);
  });

  it('take the command key on a Mac', () => {
    expect(comboFromEvent(press('z', { metaKey: true }), true)).toBe('Ctrl+Z');
    expect(comboFromEvent(press('z', { ctrlKey: true }), true)).toBe('Z');
  });

  it('take a bracket that needs AltGr as a bracket', () => {
    const event = press('[', { ctrlKey: true, altKey: true });
    event.getModifierState = (name: string) => name === 'AltGraph';
    expect(comboFromEvent(event, false)).toBe('[');
  });

  it('are shown as people read them', () => {
    expect(shownCombo('Ctrl+Shift+E', false)).toBe('Ctrl+Shift+E');
    expect(shownCombo('Ctrl+-', false)).toBe('Ctrl+−');
    expect(shownCombo('Alt+Up', true)).toBe('⌥↑');
  });
});

describe('keys', () => {
  it('do nothing where there is nothing to do', async () => {
    const app = new App(recorded('empty'));
    await app.start();
    expect(commandFor(press(' '), app)).toBeNull();
    expect(commandFor(press('z', { ctrlKey: true }), app)).toBeNull();
    expect(commandFor(press('o', { ctrlKey: true }), app)?.id).toBe('open');
  });

  it('leave typing alone', async () => {
    const app = await opened();
    const input = document.createElement('input');
    for (const [key, modifiers] of [['e', {}], [' ', {}], ['a', { ctrlKey: true }], ['z', { ctrlKey: true }], ['Delete', {}], ['ArrowLeft', {}]] as const) {
      expect(commandFor(press(key, modifiers, input), app), key).toBeNull();
    }
    expect(commandFor(press('k', { ctrlKey: true }, input), app)?.id).toBe('palette');
    expect(commandFor(press('F6', {}, input), app)?.id).toBe('next-region');
  });

  it.each(['Delete'])('do nothing for %s, which means something else elsewhere', async (name) => {
    const app = await opened();
    if (app.documents.active) app.documents.active.selectedNode = 1;
    const inside = document.createElement('button');
    const rack = document.createElement('aside');
    rack.dataset['region'] = 'rack';
    rack.append(inside);
    for (const target of [document.body, inside]) expect(commandFor(press(name, {}, target), app)).toBeNull();
  });

  it('leave every key of typing alone, inside the rack too', async () => {
    const app = await opened();
    if (app.documents.active) app.documents.active.selectedNode = 1;
    const input = document.createElement('input');
    const rack = document.createElement('aside');
    rack.dataset['region'] = 'rack';
    rack.append(input);
    for (const [key, modifiers] of [['d', { ctrlKey: true }], ['u', { ctrlKey: true }], ['Delete', { ctrlKey: true }], ['Backspace', { ctrlKey: true }], ['ArrowUp', { altKey: true }], [' ', { ctrlKey: true }], ['?', { shiftKey: true }], ['ArrowUp', { ctrlKey: true }]] as const) {
      expect(commandFor(press(key, modifiers, input), app)?.id, key).toBeUndefined();
    }
    for (const [key, modifiers, id] of [['F1', {}, 'help'], ['F10', {}, 'menu-bar'], ['f', { altKey: true }, 'menu-open'], ['F10', { shiftKey: true }, 'context-menu']] as const) expect(commandFor(press(key, modifiers, input), app)?.id).toBe(id);
  });

  it('leave a slider its arrows and give it the space bar for playing', async () => {
    const app = await opened();
    const slider = document.createElement('div');
    slider.setAttribute('role', 'slider');
    expect(commandFor(press('ArrowLeft', {}, slider), app)).toBeNull();
    expect(commandFor(press('Home', {}, slider), app)).toBeNull();
    expect(commandFor(press(' ', {}, slider), app)?.id).toBe('play');
  });

  it('remove an effect only where effects are at hand', async () => {
    const app = await opened();
    if (app.documents.active) app.documents.active.selectedNode = 1;
    const inside = document.createElement('button');
    const rack = document.createElement('aside');
    rack.dataset['region'] = 'rack';
    rack.append(inside);
    expect(commandFor(press('Delete', { ctrlKey: true }), app)).toBeNull();
    expect(commandFor(press('Delete', { ctrlKey: true }, inside), app)?.id).toBe('remove');
  });

  it('belong to the dialog that is open', async () => {
    const app = await opened();
    app.dialogs.open = 'settings';
    expect(commandFor(press(' '), app)).toBeNull();
    expect(commandFor(press('e', {}), app)).toBeNull();
    expect(commandFor(press('/', { ctrlKey: true }), app)?.id).toBe('shortcuts');
  });

  it('play on buttons, sliders and boxes, and leave space to menus and fields', async () => {
    const app = await opened();
    const inside = (html: string): Element => {
      document.body.innerHTML = html;
      return document.querySelector('.it')!;
    };
    for (const html of ['<button class="it"></button>', '<button class="it" role="tab"></button>', '<button class="it" role="switch"></button>', '<input class="it" type="checkbox">', '<input class="it" type="radio">', '<div class="it" role="slider"></div>', '<button class="it" role="combobox" aria-expanded="false"></button>', '<div class="menu"><button class="it"></button></div>', '<div role="menubar"><button class="it" role="menuitem"></button></div>']) {
      expect(commandFor(press(' ', {}, inside(html)), app)?.id, html).toBe('play');
    }
    for (const html of ['<input class="it">', '<textarea class="it"></textarea>', '<div role="menu" class="menu"><div class="it" role="menuitem"></div></div>', '<button class="it" role="combobox" aria-expanded="true"></button>', '<div role="listbox"><div class="it" role="option"></div></div>']) {
      expect(commandFor(press(' ', {}, inside(html)), app), html).toBeNull();
    }
  });

  it('do not play and stop over and over while held', async () => {
    const app = await opened();
    const toggle = vi.spyOn(app.player, 'toggle');
    handleKey(press(' '), app);
    handleKey(press(' ', { repeat: true }), app);
    expect(toggle).toHaveBeenCalledTimes(1);
  });
});
