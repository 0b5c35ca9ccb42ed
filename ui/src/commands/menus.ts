// Opens the menus at the top, and the menu of the focused element, by keys.

import { isMac } from '../lib/keys';
import { text } from '../text/catalogue';
import type { Command } from './table';

const t = text.commands;
const LETTERS = [...new Set(Object.values(text.mnemonics))];

/** Opens the menu with a mnemonic, or the first; its first entry takes the focus. */
function openMenu(letter: string | null): void {
  const triggers = [...document.querySelectorAll<HTMLElement>('.menubar [data-menu-value]')];
  const trigger = letter === null ? triggers[0] : triggers.find((each) => each.getAttribute('aria-keyshortcuts') === `Alt+${letter}`);
  if (!trigger || trigger.getAttribute('aria-expanded') === 'true') return;
  trigger.focus();
  trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));
}

/** Requests the menu of the focused element, as the right mouse button does. */
function openContextMenu(): void {
  const lanes = document.querySelector('[data-region="lanes"] [data-region-focus]');
  const element = (document.activeElement === document.body ? lanes : document.activeElement) ?? document.body;
  const box = element.getBoundingClientRect();
  // A large element, such as the lanes, opens its menu in the middle.
  const [x, y] = box.width > 400 && box.height > 120 ? [box.left + box.width / 2, box.top + box.height / 2] : [box.left + Math.min(16, box.width / 2), box.bottom];
  element.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: x, clientY: y, button: 2, detail: 0 }));
}

const command = (id: string, title: string, keys: string[], run: Command['run']): Command => ({ id, menu: 'view', group: 2, unlisted: true, byKey: true, title, keys, run });

export const menuCommands: Command[] = [
  command('menu-bar', t.menuBar, ['F10'], () => openMenu(null)),
  // On a Mac, Alt types special characters, so the menus have no letters.
  command('menu-open', t.menuOpen, isMac() ? [] : LETTERS.map((letter) => `Alt+${letter}`), (_, combo) => openMenu(combo?.slice(-1) ?? null)),
  command('context-menu', t.contextMenu, ['ContextMenu', 'Shift+F10'], openContextMenu),
];
