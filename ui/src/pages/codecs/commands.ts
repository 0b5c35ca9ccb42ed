// Commands of the page of codecs.

import { text } from '../../text/catalogue';
import type { Command } from '../../commands/table';

export const codecsCommands: Command[] = [{ id: 'codecs-back', menu: 'compare', group: 7, title: text.commands.codecsBack, keys: ['Escape'], page: 'codecs', run: (app) => app.showPage('compare') }];
