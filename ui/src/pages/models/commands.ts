// Commands of the page of models.

import { text } from '../../text/catalogue';
import type { Command } from '../../commands/table';

const t = text.commands;

export const modelsCommands: Command[] = [
  { id: 'page-models', menu: 'view', group: 5, sub: { menu: 'go' }, title: t.pageModels, keys: [], checked: (app) => app.page === 'models', run: (app) => app.showPage('models') },
  { id: 'models-back', menu: 'view', group: 7, title: t.modelsBack, keys: ['Escape'], unlisted: true, page: 'models', run: (app) => app.models.leave() },
];
