// Which keys mean which command where: what the keyboard looks up, and what the sheet of shortcuts lists.

import type { PageName } from '../state/app.svelte';
import { COMMANDS, isOn, type Command, type Scope } from './table';

export interface Binding {
  combo: string;
  /** None is everywhere. */
  scope: Scope | null;
  command: Command;
}

const isScoped = (binding: Binding): boolean => binding.scope !== null;
const bindingsOf = (command: Command): Binding[] => [
  ...command.keys.map((combo) => ({ combo, scope: command.scope ?? null, command })),
  ...Object.entries(command.within ?? {}).flatMap(([scope, keys]) => keys.map((combo) => ({ combo, scope: scope as Scope, command }))),
];

export const BINDINGS: Binding[] = COMMANDS.flatMap(bindingsOf);

/** By key, on a page; what has the focus comes first. */
export function bindingsOn(page: PageName): Map<string, Binding[]> {
  const byKey = new Map<string, Binding[]>();
  for (const binding of BINDINGS.filter(({ command }) => isOn(command, page))) byKey.set(binding.combo, [...(byKey.get(binding.combo) ?? []), binding]);
  for (const [combo, bindings] of byKey) byKey.set(combo, [...bindings.filter(isScoped), ...bindings.filter((each) => !isScoped(each))]);
  return byKey;
}

/** Whether an element lies where the keys of a scope work. Controls inside a row keep their own keys; those of a region do not. */
export function isWithin(scope: Scope | null, target: Element | null): boolean {
  if (scope === null) return true;
  if (scope === 'rack') return target?.closest('[data-region="rack"]') != null;
  if (scope === 'listening') return target?.closest('[data-region="audition"]') != null;
  return target?.matches(`[data-keys="${scope}"]`) ?? false;
}
