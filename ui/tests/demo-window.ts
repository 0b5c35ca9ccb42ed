// The window over recorded answers, with the demo open and a chain in its rack; taken down after each test.

import { flushSync } from 'svelte';
import AppView from '../src/App.svelte';
import { App } from '../src/state/app.svelte';
import { show } from './mounted';
import { recorded } from './recorded';

/** Waits until what the backend answers is shown. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((done) => setTimeout(done, 4));
  flushSync();
}

export async function openDemo(chain: string): Promise<App> {
  const app = new App(recorded('empty'));
  show(AppView, { app });
  await settle();
  await app.documents.open('demo');
  await settle();
  app.documents.active?.edit({ kind: 'set_chain_text', text: chain });
  await settle();
  return app;
}
