// The window over recorded answers, with the demo open and a chain in its rack; taken down after each test.

import AppView from '../src/App.svelte';
import { App } from '../src/state/app.svelte';
import { settle, show, until } from './mounted';
import { recorded } from './recorded';

export { settle };

export async function openDemo(chain: string): Promise<App> {
  const app = new App(recorded('empty'));
  show(AppView, { app });
  await until(() => app.ready);
  await app.documents.open('demo');
  await settle();
  app.documents.active?.edit({ kind: 'set_chain_text', text: chain });
  await settle();
  return app;
}
