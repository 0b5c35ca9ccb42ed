// The page that puts many files through one chain.

import Files from '@lucide/svelte/icons/files';
import { batchCommands } from './commands';
import { Batch } from './state.svelte';
import { text } from '../../text/catalogue';
import type { Page } from '../page';

declare module '../../state/app.svelte' {
  interface App {
    readonly batch: Batch;
  }
}

export const batchPage: Page<'batch'> = {
  name: 'batch',
  menu: 'batch',
  tab: { icon: Files, command: 'batch' },
  drop: text.batch.drop,
  commands: batchCommands,
  menus: {
    batch: [
      ['batch-show', 'batch-remove'],
      ['batch-all', 'batch-files', 'batch-folders'],
      ['batch-copy', 'batch-report'],
    ],
  },
  state: (app) => ({ batch: new Batch(app) }),
  load: (app) => app.batch.load(),
  turned: (app, to) => app.notices.attempt(() => app.backend.call('batch.take_drops', { on: to === 'batch' })),
  events: {
    batch: (app, event) => app.batch.take(event.batch),
    batch_items: (app, { items, status }) => app.batch.takeItems(items, status),
  },
};
