// The menu of a document's tab, which may not be the active one.

import type { App } from '../../../state/app.svelte';
import type { DocumentState } from '../../../state/document.svelte';
import { copyPath, fileReason, showFile } from '../commands/documents';
import { entries, entry, type MenuGroups } from '../../../commands/context/entry';

export const tabMenu = (app: App, document: DocumentState): MenuGroups => [
  [
    ...entry(app, 'close', { run: () => app.documents.close(document.id) }),
    ...entry(app, 'close-others', { run: () => app.documents.closeOthers(document.id) }),
    ...entries(app, 'reopen-closed'),
  ],
  [
    ...entry(app, 'copy-path', { reason: fileReason(document), run: () => copyPath(app, document) }),
    ...entry(app, 'separate', { reason: null, run: () => app.separation.open({ kind: 'document', document: document.id, track: null }) }),
    ...entry(app, 'show-file', { reason: fileReason(document), run: () => showFile(app, document) }),
  ],
];
