// Keys to commands.

import { comboFromEvent } from '../lib/keys';
import type { App, PageName } from '../state/app.svelte';
import { bindingsOn, isWithin, type Binding } from './scopes';
import { COMMANDS, isEnabled, type Command } from './table';

/** A key may mean one thing on one page and another on the other, and something else where the focus is. */
const BY_KEY: Record<PageName, Map<string, Binding[]>> = { editor: bindingsOn('editor'), library: bindingsOn('library'), batch: bindingsOn('batch'), help: bindingsOn('help') };

/** In a dialog only these work; everything else belongs to the dialog. */
const IN_DIALOG = new Set(['shortcuts', 'palette']);
const TYPING = 'input:not([type="radio"], [type="checkbox"]), textarea';
/** Keys that a focused control keeps for itself, by what it is. */
const KEPT: [selector: string, keys: RegExp][] = [
  ['[role="slider"], [role="menuitem"], [role="radio"], [role="tab"], [role="option"], [role="separator"]', /^(Shift\+)?(Left|Right|Up|Down|Home|End|PageUp|PageDown)$/],
  // A button that was clicked does not take the space bar away from playing; one reached by keyboard does.
  ['button:focus-visible, [role="menuitem"], input[type="radio"], input[type="checkbox"]', /^(Space|Enter)$/],
  ['.menu, .menu *, [role="combobox"]', /^[^+]*$/],
];

export function commandFor(event: KeyboardEvent, app: App): Command | null {
  if (event.defaultPrevented || event.isComposing) return null;
  const combo = comboFromEvent(event);
  const target = event.target instanceof Element ? event.target : null;
  const command = BY_KEY[app.page].get(combo)?.find((each) => isWithin(each.scope, target) && isEnabled(each.command, app, combo))?.command;
  if (!command) return null;
  if ((app.dialogs.open !== null || app.library.questions.bin.phase !== null) && !IN_DIALOG.has(command.id)) return null;
  if (target?.matches(TYPING) && !(/^(Ctrl|Alt)\+/.test(combo) ? !editsText(combo) : /^(Shift\+)?F\d/.test(combo))) return null;
  if (target && KEPT.some(([selector, keys]) => target.matches(selector) && keys.test(combo))) return null;
  return command;
}

/** Combinations that mean something inside a text field. */
const editsText = (combo: string): boolean => /^Ctrl\+(Shift\+)?(A|C|V|X|Y|Z|Left|Right|Home|End)$/.test(combo);

const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'Meta', 'AltGraph']);
const STEP_KEYS = new Set(COMMANDS.filter(({ id }) => id === 'undo' || id === 'redo').flatMap(({ keys }) => keys));

export function handleKey(event: KeyboardEvent, app: App): void {
  const command = commandFor(event, app);
  const typing = event.target instanceof Element && event.target.matches(TYPING);
  if (!typing && STEP_KEYS.has(comboFromEvent(event)) && app.documents.refusesStep()) return event.preventDefault();
  if (!MODIFIERS.has(event.key)) app.documents.touched();
  if (!command) return;
  event.preventDefault();
  if (event.repeat && command.once) return;
  void command.run(app, comboFromEvent(event));
}
