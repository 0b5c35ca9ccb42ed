// The page of neural models and their folders.

import { modelsCommands } from '../../commands/models';
import { Models } from '../../state/models.svelte';
import type { Page } from '../page';

declare module '../../state/app.svelte' {
  interface App {
    readonly models: Models;
  }
}

export const modelsPage: Page<'models'> = {
  name: 'models',
  menu: null,
  commands: modelsCommands,
  state: (app) => ({ models: new Models(app) }),
  turned: (app, to, from) => app.models.turned(to, from),
};
