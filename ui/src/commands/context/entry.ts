// Entries of context menus. Most are commands of the command table, with their keys.

import { shortcutOf } from '../keymap';
import type { App } from '../../state/app.svelte';
import { COMMANDS, isOn, labelOf, reasonOf } from '../table';

export interface MenuEntry {
  id: string;
  title: string;
  /** The key, as displayed. */
  keys?: string;
  checked?: boolean;
  /** Why the entry is disabled; absent or null if it is enabled. */
  reason?: string | null;
  /** Text that distinguishes it from entries of the same name. */
  note?: string;
  run?(): unknown;
  /** The groups of its submenu. */
  groups?: MenuEntry[][];
}

export type MenuGroups = MenuEntry[][];

/** A command as an entry; `change` overrides fields where the entry is not about the active document. */
export function entry(app: App, id: string, change: Partial<MenuEntry> = {}): MenuEntry[] {
  const command = COMMANDS.find((each) => each.id === id);
  if (!command || !isOn(command, app.page)) return [];
  const keys = shortcutOf(app, id);
  return [
    {
      id: `command-${id}`,
      title: labelOf(command, app),
      ...(keys === '' ? {} : { keys }),
      ...(command.checked ? { checked: command.checked(app) } : {}),
      reason: reasonOf(command, app),
      run: () => command.run(app),
      ...change,
    },
  ];
}

/** Commands as one group. */
export const entries = (app: App, ...ids: string[]): MenuEntry[] => ids.flatMap((id) => entry(app, id));

/** A choice between commands, behind one entry. */
export const choice = (id: string, title: string, of: MenuEntry[]): MenuEntry => ({ id, title, groups: [of] });
