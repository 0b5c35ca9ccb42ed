// Commands of the help and of the notices.

import { text } from '../text/catalogue';
import type { Command } from './table';

const t = text.commands;

export const helpCommands: Command[] = [
  { id: 'help', menu: 'help', group: 0, title: t.help, keys: ['F1', '?'], checked: (app) => app.page === 'help', run: (app) => (app.page === 'help' ? app.leaveHelp() : app.showHelp()) },
  { id: 'help-close', menu: 'help', group: 0, title: t.helpClose, keys: ['Escape'], unlisted: true, page: 'help', run: (app) => app.leaveHelp() },
  { id: 'notices', menu: 'view', group: 4, title: t.notices, keys: [], checked: (app) => app.notices.listOpen, run: (app) => app.notices.toggleList() },
];
