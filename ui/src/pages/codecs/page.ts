// The page of recordings through codecs, which the Compare page opens.

import { codecsCommands } from './commands';
import { Codecs } from './state.svelte';
import type { Page } from '../page';

declare module '../../state/app.svelte' {
  interface App {
    readonly codecs: Codecs;
  }
}

export const codecsPage: Page<'codecs'> = {
  name: 'codecs',
  menu: 'compare',
  within: 'compare',
  commands: codecsCommands,
  state: (app) => ({ codecs: new Codecs(app) }),
  takeJob: (app, job) => app.codecs.takeJob(job),
};
