// Commands of the help.

import { text } from '../../text/catalogue';
import type { Command } from '../../commands/table';

const t = text.commands;

export const helpCommands: Command[] = [
  { id: 'help', menu: 'help', group: 0, title: t.help, keys: ['F1', '?'], checked: (app) => app.page === 'help', run: (app) => (app.page === 'help' ? app.help.leave() : app.help.show()) },
  { id: 'help-close', menu: 'help', group: 0, title: t.helpClose, keys: ['Escape'], unlisted: true, page: 'help', run: (app) => app.help.leave() },
];
