// The page of the guides.

import { helpCommands } from './commands';
import { Help } from './state.svelte';
import type { Page } from '../page';

declare module '../../state/app.svelte' {
  interface App {
    readonly help: Help;
  }
}

export const helpPage: Page<'help'> = {
  name: 'help',
  menu: null,
  commands: helpCommands,
  state: (app) => ({ help: new Help(app) }),
  turned: (app, to, from) => app.help.turned(to, from),
};
