// The window over the mock backend, with the demo open and a chain in its rack; taken down after each test.

import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach } from 'vitest';
import AppView from '../src/App.svelte';
import { mockBackend } from '../src/backend/mock';
import { World } from '../src/backend/mock/world';
import { App } from '../src/state/app.svelte';

let mounted: Record<string, unknown> | null = null;

beforeEach(() => {
  HTMLCanvasElement.prototype.getContext = (() => null) as never;
  Element.prototype.scrollIntoView = () => undefined;
});

afterEach(() => {
  if (mounted) void unmount(mounted);
  mounted = null;
  document.body.innerHTML = '';
});

/** Waits until what the backend answers is shown. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((done) => setTimeout(done, 4));
  flushSync();
}

export async function openDemo(chain: string): Promise<App> {
  const app = new App(mockBackend(new World(), 0));
  mounted = mount(AppView, { target: document.body, props: { app } });
  await settle();
  await app.open('demo');
  await settle();
  app.active?.edit({ kind: 'set_chain_text', text: chain });
  await settle();
  return app;
}
