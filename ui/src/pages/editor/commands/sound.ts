// Edits of the active document's sound: cut and paste, and edits made from the selection.

import type { SoundEdit } from '../../../bindings';
import { channelNames, steppedChannels } from '../../../lib/channels';
import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { text } from '../../../text/catalogue';
import { all, when, withAllChannels, withDocument, withSelection, withSeveralChannels, type Condition } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.soundEdits;
const withCopy = all(withDocument, when((app) => app.copiedSome !== null, t.noCopy));

/** Whether clips cannot express the edit, so that its sound must be rendered. */
function isRendered(app: App, kind: SoundEdit['kind']): boolean {
  if (kind === 'paste_mix' || app.documents.active?.channels != null) return true;
  return (kind === 'paste' || kind === 'paste_over') && app.copiedSome === true;
}

async function edited(app: App, edit: SoundEdit): Promise<void> {
  const document = app.documents.active;
  if (!document) return;
  const render = isRendered(app, edit.kind);
  await app.notices.attempt(async () => {
    await document.editSound(edit, render);
    // The user expects the gap to close, but on some channels it cannot.
    if (edit.kind === 'delete' && document.channels !== null) tellSilence(app, document);
  });
  if (render && app.copiedSome) await app.refreshCopied();
}

function tellSilence(app: App, document: DocumentState): void {
  app.notices.tell('info', t.channels.silent(channelNames(document.channels ?? [], document.data.channels)));
}

function placed(app: App, command: 'editor.insert_file' | 'editor.snap_to_zero'): unknown {
  const document = app.documents.active;
  return document && app.notices.attempt(() => document.placedCommand(command));
}

async function copied(app: App, cut: boolean): Promise<void> {
  const document = app.documents.active;
  if (!document) return;
  await app.notices.attempt(async () => {
    await document.copySound(cut);
    if (cut && document.channels !== null) tellSilence(app, document);
  });
  await app.refreshCopied();
}

/** Sound can be pasted over or into a track, not the sum. */
const onTrack = when((app) => app.documents.active?.data.chosen !== 'sum', t.pasteIntoSum);

/** The title of an edit, which differs while it acts on some channels. */
const ofChannels = (some: (names: string) => string, all: string) => (app: App) => {
  const document = app.documents.active;
  return document?.channels ? some(channelNames(document.channels, document.data.channels)) : all;
};

const command = (kind: Exclude<SoundEdit['kind'], 'insert_silence' | 'move' | 'gain' | 'clip'>, group: number, keys: string[], enabled: Condition): Command => ({
  id: `sound-${kind.replaceAll('_', '-')}`,
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
  command('paste', 1, ['Ctrl+V'], all(withAllChannels, withCopy)),
  command('paste_over', 1, ['Ctrl+Shift+V'], all(withCopy, onTrack)),
  command('paste_mix', 1, ['Ctrl+Alt+V'], all(withCopy, onTrack)),
  { ...command('delete', 1, ['Delete', 'Backspace'], withSelection), label: ofChannels((names) => t.channels.delete(names), t.commands.delete) },
  command('trim', 2, ['Ctrl+T'], all(withSelection, withAllChannels)),
  command('silence', 2, ['Ctrl+L'], withSelection),
  { id: 'sound-insert-silence', menu: 'edit', group: 2, sub: { menu: 'insert' }, title: t.insertSilence, keys: ['Ctrl+Alt+L'], enabled: withAllChannels, run: (app) => (app.dialogs.open = 'insert-silence') },
  { id: 'generate', menu: 'edit', group: 2, sub: { menu: 'insert' }, title: text.generating.command, keys: [], run: (app) => (app.dialogs.open = 'generate') },
  { id: 'insert-file', menu: 'edit', group: 2, sub: { menu: 'insert' }, title: t.insertFile, keys: [], enabled: withAllChannels, run: (app) => placed(app, 'editor.insert_file') },
  { id: 'snap-to-zero', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.snapToZero, keys: ['Z'], enabled: withDocument, run: (app) => placed(app, 'editor.snap_to_zero') },
  ...([1, -1] as const).map((step): Command => ({
    id: step > 0 ? 'channel-next' : 'channel-previous',
    menu: 'edit',
    group: 3,
    sub: { menu: 'select' },
    title: step > 0 ? t.channels.next : t.channels.previous,
    keys: step > 0 ? ['Ctrl+Alt+C'] : [],
    enabled: withSeveralChannels,
    run: (app) => stepChannels(app, step),
  })),
  { id: 'channels-all', menu: 'edit', group: 3, sub: { menu: 'select' }, title: t.channels.all, keys: [], enabled: withSeveralChannels, checked: (app) => app.documents.active?.channels == null, run: (app) => app.documents.active?.setChannels(null) },
  command('duplicate', 2, ['Ctrl+D'], all(withSelection, withAllChannels)),
  command('reverse', 2, [], withDocument),
  { ...command('split', 2, ['Ctrl+I'], withAllChannels), sub: { menu: 'clip' } },
  { ...command('join', 2, ['Ctrl+J'], withAllChannels), sub: { menu: 'clip' } },
];

/** Limits edits to the next channel; after the last, edits act on all channels again. */
export function stepChannels(app: App, step: 1 | -1): void {
  const document = app.documents.active;
  document?.setChannels(steppedChannels(document.channels, document.data.channels, step));
}
