// Commands of the open documents and their tabs.

import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { text } from '../../../text/catalogue';
import { all, when, withDocument, withDocuments } from '../../../commands/conditions';
import type { Command } from '../../../commands/table';

const t = text.commands;
/** The file that a document shows, as far as the window knows; undefined if it cannot be found. */
const fileOf = (document: DocumentState) => document.data.sources.find((source) => source.missing === null) ?? null;

export async function copyPath(app: App, document: DocumentState): Promise<void> {
  const file = fileOf(document);
  if (file) await app.notices.attempt(() => navigator.clipboard.writeText(file.path));
}

export const showFile = (app: App, document: DocumentState): unknown => app.notices.attempt(() => app.backend.call('workspace.show_file', { document: document.id }));

/** The reason why there is no file to show or name; null if there is one. */
export const fileReason = (document: DocumentState): string | null => (fileOf(document) ? null : text.reasons.noRecordingFile);
const withFile = all(withDocument, when((app) => app.documents.active !== null && fileOf(app.documents.active) !== null, text.reasons.noRecordingFile));

const command = (id: string, title: string, run: (document: DocumentState, app: App) => unknown, more: Partial<Command> = {}): Command => ({
  id,
  menu: 'file',
  group: 2,
  title,
  keys: [],
  enabled: withDocument,
  run: (app) => app.documents.active && run(app.documents.active, app),
  ...more,
});

export const documentCommands: Command[] = [
  command('close', t.close, (document, app) => app.documents.close(document.id), { keys: ['Ctrl+W'] }),
  command('close-others', t.closeOthers, (document, app) => app.documents.closeOthers(document.id), { enabled: withDocuments }),
  command('copy-path', t.copyPath, (document, app) => copyPath(app, document), { unlisted: true, enabled: withFile }),
  command('show-file', t.showFile, (document, app) => showFile(app, document), { unlisted: true, enabled: withFile }),
];
