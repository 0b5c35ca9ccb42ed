// Entries of menus that belong to what is under the pointer. Most are commands of the one table, with their keys.

import { shortcutOf } from '../keymap';
import type { App } from '../../state/app.svelte';
import { COMMANDS, isOn, labelOf, reasonOf } from '../table';

export interface MenuEntry {
  id: string;
  title: string;
  /** The key, as people read it. */
  keys?: string;
  checked?: boolean;
  /** Why it cannot be used; none or null if it can. */
  reason?: string | null;
  /** Words that tell it apart from others of its name. */
  note?: string;
  run?(): unknown;
  /** The groups of a menu that it opens. */
  groups?: MenuEntry[][];
}

export type MenuGroups = MenuEntry[][];

/** A command as an entry: of what it is about where it is not about the document in front. */
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
