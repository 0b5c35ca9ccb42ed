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
  it.each(['editor', 'library', 'batch'] as const)('gives every key on the page %s to one command only', (page) => {
    const keys = BINDINGS.filter(({ command }) => isOn(command, page)).map(({ combo, scope }) => `${scope ?? ''} ${combo}`);
    expect(keys.length).toBeGreaterThan(20);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('gives every command a name of its own', () => {
    expect(new Set(COMMANDS.map((command) => command.id)).size).toBe(COMMANDS.length);
    expect(new Set(COMMANDS.map((command) => command.title)).size).toBe(COMMANDS.length);
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
    expect(commandFor(press('Delete'), app)).toBeNull();
    expect(commandFor(press('Delete', {}, inside), app)?.id).toBe('remove');
  });

  it('belong to the dialog that is open', async () => {
    const app = await opened();
    app.dialogs.open = 'settings';
    expect(commandFor(press(' '), app)).toBeNull();
    expect(commandFor(press('e', {}), app)).toBeNull();
    expect(commandFor(press('/', { ctrlKey: true }), app)?.id).toBe('shortcuts');
  });

  it('do not play and stop over and over while held', async () => {
    const app = await opened();
    const toggle = vi.spyOn(app.player, 'toggle');
    handleKey(press(' '), app);
    handleKey(press(' ', { repeat: true }), app);
    expect(toggle).toHaveBeenCalledTimes(1);
  });
});
