// The menu of a text field. Its actions are the browser's, so that each is a step in the field's undo history.

import type { App } from '../../state/app.svelte';
import { shownCombo } from '../../lib/keys';
import { text } from '../../text/catalogue';
import type { MenuEntry, MenuGroups } from './entry';

const t = text.fieldMenu;
const r = text.reasons;
type Field = HTMLInputElement | HTMLTextAreaElement;

export const isTextField = (element: Element | null): element is Field => element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(element.type));

async function paste(app: App): Promise<void> {
  await app.notices.attempt(async () => document.execCommand('insertText', false, await navigator.clipboard.readText()));
}

export function textFieldMenu(app: App, field: Field): MenuGroups {
  // A number field does not expose its selection.
  const chosen = field.selectionStart === null || field.selectionStart !== field.selectionEnd;
  const fixed = field.readOnly || field.disabled ? r.readOnly : null;
  const item = (id: string, title: string, key: string, reason: string | null, run: () => unknown): MenuEntry => ({ id: `field-${id}`, title, keys: shownCombo(key), reason, run });
  const act = (name: string) => () => document.execCommand(name);
  return [
    [item('undo', t.undo, 'Ctrl+Z', fixed, act('undo')), item('redo', t.redo, 'Ctrl+Shift+Z', fixed, act('redo'))],
    [
      item('cut', t.cut, 'Ctrl+X', fixed ?? (chosen ? null : r.noText), act('cut')),
      item('copy', t.copy, 'Ctrl+C', chosen ? null : r.noText, act('copy')),
      item('paste', t.paste, 'Ctrl+V', fixed, () => paste(app)),
    ],
    [item('all', t.all, 'Ctrl+A', field.value === '' ? r.noValue : null, () => field.select())],
  ];
}
