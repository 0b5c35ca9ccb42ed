// Edits of the sound of the document in front: cut and paste, and what is made of the selection.

import type { SoundEdit } from '../bindings';
import type { App } from '../state/app.svelte';
import { text } from '../text/catalogue';
import { all, when, withDocument, withSelection, type Condition } from './conditions';
import type { Command } from './table';

const t = text.soundEdits;
const withCopy = all(withDocument, when((app) => app.copiedSeconds !== null, t.noCopy));

function edited(app: App, edit: SoundEdit): unknown {
  const document = app.documents.active;
  return document && app.notices.attempt(() => document.editSound(edit));
}

function placed(app: App, command: 'insert_file' | 'snap_to_zero'): unknown {
  const document = app.documents.active;
  return document && app.notices.attempt(() => document.placedCommand(command));
}

async function copied(app: App, cut: boolean): Promise<void> {
  const document = app.documents.active;
  if (!document) return;
  await app.notices.attempt(() => document.copySound(cut));
  await app.refreshCopied();
}

const command = (kind: Exclude<SoundEdit['kind'], 'insert_silence' | 'move' | 'gain' | 'clip'>, group: number, keys: string[], enabled: Condition): Command => ({
  id: `sound-${kind.replace('_', '-')}`,
  menu: 'edit',
  group,
  title: t.commands[kind],
  keys,
  enabled,
  run: (app) => edited(app, { kind }),
});

export const soundCommands: Command[] = [
  { id: 'sound-cut', menu: 'edit', group: 1, title: t.cut, keys: ['Ctrl+X'], enabled: withSelection, run: (app) => copied(app, true) },
  { id: 'sound-copy', menu: 'edit', group: 1, title: t.copy, keys: ['Ctrl+C'], enabled: withSelection, run: (app) => copied(app, false) },
  command('paste', 1, ['Ctrl+V'], withCopy),
  command('paste_over', 1, ['Ctrl+Shift+V'], withCopy),
  command('delete', 1, ['Delete', 'Backspace'], withSelection),
  command('trim', 2, ['Ctrl+T'], withSelection),
  command('silence', 2, ['Ctrl+L'], withSelection),
  { id: 'sound-insert-silence', menu: 'edit', group: 2, sub: { menu: 'insert' }, title: t.insertSilence, keys: ['Ctrl+Alt+L'], enabled: withDocument, run: (app) => (app.dialogs.open = 'insert-silence') },
  { id: 'generate', menu: 'edit', group: 2, sub: { menu: 'insert' }, title: text.generating.command, keys: [], run: (app) => (app.dialogs.open = 'generate') },
  { id: 'insert-file', menu: 'edit', group: 2, sub: { menu: 'insert' }, title: t.insertFile, keys: [], enabled: withDocument, run: (app) => placed(app, 'insert_file') },
  { id: 'snap-to-zero', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.snapToZero, keys: ['Z'], enabled: withDocument, run: (app) => placed(app, 'snap_to_zero') },
  command('duplicate', 2, ['Ctrl+D'], withSelection),
  command('reverse', 2, [], withDocument),
  command('split', 2, ['Ctrl+I'], withDocument),
  command('join', 2, ['Ctrl+J'], withDocument),
];
