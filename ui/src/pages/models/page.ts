// The page of neural models and their folders.

import { modelsCommands } from './commands';
import { Models } from './state.svelte';
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
  turned: (app, _, from) => app.models.turned(from),
};
