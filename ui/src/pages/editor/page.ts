// The page that shows the document in front.

import AudioLines from '@lucide/svelte/icons/audio-lines';
import { text } from '../../text/catalogue';
import type { Page } from '../page';

export const editorPage: Page<'editor'> = {
  name: 'editor',
  menu: 'effects',
  tab: { icon: AudioLines, command: 'page-editor' },
  documents: true,
  commands: [{ id: 'page-editor', menu: 'view', group: 7, title: text.commands.pageEditor, keys: ['Ctrl+1'], checked: (app) => app.page === 'editor', run: (app) => app.showPage('editor') }],
};
