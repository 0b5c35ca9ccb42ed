// The current keys of commands: the table's defaults, unless the settings override them.

import type { KeySettings } from '../bindings';
import { shownCombo } from '../lib/keys';
import { PAGES, pageNamed, type PageName } from '../pages/pages';
import type { App } from '../state/app.svelte';
import { text } from '../text/catalogue';
import { bindingsOn, bindingsWith, KEY_SLOTS, type Binding, type KeySlot } from './scopes';
import type { Command, Scope } from './table';

type CommandMap = KeySettings['commands'];

export interface Keymap {
  bindings: Binding[];
  /** The bindings of each key, by page. */
  pages: Record<PageName, Map<string, Binding[]>>;
  /** The keys of each slot, by name. */
  keys: Map<string, string[]>;
}

const keysIn = (commands: CommandMap, slot: KeySlot): string[] => (slot.fixed ? slot.standard : (commands[slot.id] ?? slot.standard));

/** The keymap for each settings object; settings are never changed in place. */
const laidOut = new WeakMap<KeySettings, Keymap>();

export function keymapOf(app: App): Keymap {
  const { keys } = app.settings.now;
  const known = laidOut.get(keys);
  if (known) return known;
  const bindings = bindingsWith((slot) => keysIn(keys.commands, slot));
  const pages = Object.fromEntries(PAGES.map(({ name }) => [name, bindingsOn(name, bindings)])) as Keymap['pages'];
  const made = { bindings, pages, keys: new Map(KEY_SLOTS.map((slot) => [slot.id, keysIn(keys.commands, slot)])) };
  laidOut.set(keys, made);
  return made;
}

/** The keys of a slot, by its name. */
export const keysOf = (app: App, slot: string): string[] => keymapOf(app).keys.get(slot) ?? [];

/** The first key of a slot as displayed; empty if it has none. */
export function shortcutOf(app: App, slot: string): string {
  const key = keysOf(app, slot)[0];
  return key === undefined ? '' : shownCombo(key);
}

/** A label with the key of the command that does the same. */
export function hinted(app: App, label: string, slot: string): string {
  const key = shortcutOf(app, slot);
  return key === '' ? label : `${label} (${key})`;
}

/** The heading that keys are listed under: their part of the window, or the command's menu. */
export function groupOf(command: Command, scope: Scope | null): string {
  if (scope !== null && scope !== 'rack') return text.shortcuts.scopes[scope];
  const page = command.page && pageNamed(command.page);
  return text.menus[(page?.documents ? null : page?.menu) ?? command.menu];
}

/** Whether two slots with the same key conflict. */
const meet = (a: KeySlot, b: KeySlot): boolean => a.id !== b.id && a.scope === b.scope && (a.command.page === undefined || b.command.page === undefined || a.command.page === b.command.page);

/** The other slots that have a key in the same place as the given slot. */
export const holdersOf = (app: App, slot: KeySlot, combo: string): KeySlot[] => KEY_SLOTS.filter((other) => meet(slot, other) && keysOf(app, other.id).includes(combo));

/** The slots that have the same key with a different focus, or everywhere else. */
export const elsewhere = (app: App, slot: KeySlot, combo: string): KeySlot[] => KEY_SLOTS.filter((other) => other.scope !== slot.scope && (other.scope === null || slot.scope === null) && keysOf(app, other.id).includes(combo));

const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((key, at) => key === b[at]);

export const isChanged = (app: App, slot: KeySlot): boolean => !same(keysOf(app, slot.id), slot.standard);

/** The settings with new keys for some slots; keys equal to the defaults are left out. */
export function withKeys(settings: KeySettings, changes: ReadonlyMap<string, string[]>): KeySettings {
  const commands = { ...settings.commands };
  for (const [id, keys] of changes) {
    const slot = KEY_SLOTS.find((each) => each.id === id);
    if (slot && (slot.fixed || same(keys, slot.standard))) delete commands[id];
    else commands[id] = keys;
  }
  return { ...settings, commands };
}

/** All keys as a file stores them: those of every command, and entries that this version does not know. */
export const written = (app: App): KeySettings => ({
  ...app.settings.now.keys,
  commands: { ...app.settings.now.keys.commands, ...Object.fromEntries(KEY_SLOTS.filter((slot) => !slot.fixed).map((slot) => [slot.id, keysOf(app, slot.id)])) },
});
