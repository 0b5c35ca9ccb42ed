// The bindings of keys to commands and scopes, for the keyboard and the shortcut sheet.

import type { PageName } from '../pages/pages';
import { COMMANDS, isOn, type Command, type Scope } from './table';

export interface Binding {
  combo: string;
  /** Null means everywhere. */
  scope: Scope | null;
  command: Command;
}

/** A place where a command may have keys: everywhere, or while a part of the window has the focus. */
export interface KeySlot {
  /** The name in the settings and in files of keys. */
  id: string;
  command: Command;
  /** Null means everywhere. */
  scope: Scope | null;
  /** The default keys. */
  standard: string[];
  /** Whether its keys belong to the focused control and cannot be changed. */
  fixed: boolean;
}

const slotsOf = (command: Command): KeySlot[] => [
  { id: command.id, command, scope: command.scope ?? null, standard: command.keys, fixed: command.byKey ?? false },
  ...Object.entries(command.within ?? {}).map(([scope, standard]) => ({ id: `${command.id}@${scope}`, command, scope: scope as Scope, standard, fixed: command.byKey ?? false })),
];

export const KEY_SLOTS: KeySlot[] = COMMANDS.flatMap(slotsOf);

export const bindingsWith = (keysOf: (slot: KeySlot) => string[]): Binding[] =>
  KEY_SLOTS.flatMap((slot) => keysOf(slot).map((combo) => ({ combo, scope: slot.scope, command: slot.command })));

/** The standard keys. */
export const BINDINGS: Binding[] = bindingsWith((slot) => slot.standard);

const isScoped = (binding: Binding): boolean => binding.scope !== null;

/** The bindings of a page by key; those of a focus scope come first. */
export function bindingsOn(page: PageName, bindings: Binding[] = BINDINGS): Map<string, Binding[]> {
  const byKey = new Map<string, Binding[]>();
  for (const binding of bindings.filter(({ command }) => isOn(command, page))) byKey.set(binding.combo, [...(byKey.get(binding.combo) ?? []), binding]);
  for (const [combo, found] of byKey) byKey.set(combo, [...found.filter(isScoped), ...found.filter((each) => !isScoped(each))]);
  return byKey;
}

/** Whether a scope's keys work at an element. Controls inside a row keep their keys; those of a region do not. */
export function isWithin(scope: Scope | null, target: Element | null): boolean {
  if (scope === null) return true;
  if (scope === 'rack') return target?.closest('[data-region="rack"]') != null;
  if (scope === 'listening') return target?.closest('[data-region="audition"]') != null;
  return target?.matches(`[data-keys="${scope}"]`) ?? false;
}
