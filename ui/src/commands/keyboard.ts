// Maps keys to commands.

import { comboFromEvent, isModifier } from '../lib/keys';
import { PAGES } from '../pages/pages';
import type { App } from '../state/app.svelte';
import { keymapOf, keysOf } from './keymap';
import { isWithin, type Binding } from './scopes';
import { isEnabled, type Command } from './table';

/** The only commands that work in a dialog; all other keys belong to the dialog. */
const IN_DIALOG = new Set(['shortcuts', 'palette', 'context-menu']);
const TYPING = 'input:not([type="radio"], [type="checkbox"]), textarea, [contenteditable="true"]';
const MENU = '[role="menu"], [role="listbox"], [role="combobox"][aria-expanded="true"]';
/** Keys that a focused control keeps for itself, by its selector. Space is not among them: it plays and stops. */
const KEPT: [selector: string, keys: RegExp][] = [
  ['[role="slider"], [role="menuitem"], [role="radio"], [role="tab"], [role="option"], [role="separator"]', /^(Shift\+)?(Left|Right|Up|Down|Home|End|PageUp|PageDown)$/],
  ['button, input[type="radio"], input[type="checkbox"]', /^Enter$/],
  ['.menu, .menu *, [role="combobox"]', /^(?!Space$)[^+]*$/],
];

const isTyping = (target: Element | null): boolean => target?.matches(TYPING) ?? false;
const inDialog = (app: App): boolean => app.dialogs.open !== null || PAGES.some((page) => page.asks?.(app));

export function commandFor(event: KeyboardEvent, app: App): Command | null {
  if (event.defaultPrevented || event.isComposing) return null;
  const combo = comboFromEvent(event);
  const target = event.target instanceof Element ? event.target : null;
  const typing = isTyping(target);
  const fits = ({ scope, command }: Binding): boolean => isWithin(scope, target) && isEnabled(command, app, combo) && !(typing && scope !== null);
  const command = keymapOf(app).pages[app.page].get(combo)?.find(fits)?.command;
  if (!command) return null;
  if (inDialog(app) && !IN_DIALOG.has(command.id)) return null;
  if (typing && !worksWhileTyping(combo)) return null;
  if (target?.closest(MENU) && /Space$/.test(combo)) return null;
  if (target && KEPT.some(([selector, keys]) => target.matches(selector) && keys.test(combo))) return null;
  return command;
}

/** Whether a key is a command even in a text field; keys that type or move the caret are not. */
function worksWhileTyping(combo: string): boolean {
  if (/^(Shift\+)?(F\d+|ContextMenu)$/.test(combo)) return true;
  return /^(Ctrl|Alt)\+/.test(combo) && !/\+(Left|Right|Up|Down|Home|End|Backspace|Delete|Insert|Space)$/.test(combo) && !/^Ctrl\+(Shift\+)?[ACVXYZ]$/.test(combo);
}

const isStepKey = (app: App, combo: string): boolean => ['undo', 'redo'].some((id) => keysOf(app, id).includes(combo));

export function handleKey(event: KeyboardEvent, app: App): void {
  const command = commandFor(event, app);
  if (!isTyping(event.target instanceof Element ? event.target : null) && isStepKey(app, comboFromEvent(event)) && app.documents.refusesStep()) return event.preventDefault();
  if (!isModifier(event.key)) app.documents.touched();
  if (!command) {
    clickByEnter(event);
    return;
  }
  event.preventDefault();
  if (event.repeat && command.once) return;
  void command.run(app, comboFromEvent(event));
}

let spaceTaken = false;

/**
 * Handles Space before the focused element sees it: it plays and stops on buttons, sliders and check boxes too. Enter
 * presses a button. Fields, open menus and dialogs keep Space.
 */
export function handleSpace(event: KeyboardEvent, app: App): void {
  if (event.key !== ' ' || inDialog(app)) return;
  const command = commandFor(event, app);
  if (!command) return;
  event.stopPropagation();
  spaceTaken = true;
  handleKey(event, app);
}

/** Keeps the key-up from a control if its key-down was a command. */
export function endSpace(event: KeyboardEvent): void {
  if (event.key !== ' ' || !spaceTaken) return;
  spaceTaken = false;
  event.preventDefault();
  event.stopPropagation();
}

/** Lets Enter press a check box as it does a button, since Space plays. */
function clickByEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target instanceof HTMLInputElement && event.target.matches('[type="checkbox"], [type="radio"]')) {
    event.preventDefault();
    event.target.click();
  }
}
