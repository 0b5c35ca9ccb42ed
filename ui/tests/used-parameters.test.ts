import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import { mockBackend } from '../src/backend/mock';
import { World } from '../src/backend/mock/world';
import { usedParameters } from '../src/lib/parameter-layout';
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

const settle = async () => {
  for (let i = 0; i < 10; i++) await new Promise((done) => setTimeout(done, 4));
  flushSync();
};

async function start(chain: string): Promise<App> {
  const app = new App(mockBackend(new World(), 0));
  mounted = mount(AppView, { target: document.body, props: { app } });
  await settle();
  await app.open('demo');
  await settle();
  app.active?.edit({ kind: 'set_chain_text', text: chain });
  await settle();
  return app;
}

describe('parameters that a design does not use', () => {
  it('are not shown', async () => {
    const app = await start('bandstop(300 Hz, 3 kHz)');
    const view = app.effectByName.get('bandstop')!;
    const names = (given: Record<string, string | number>) => usedParameters(view.parameters, given).map((each) => each.name);
    expect(names({})).toEqual(['low', 'high', 'order', 'design']);
    expect(names({ design: 'chebyshev1' })).toEqual(['low', 'high', 'order', 'design', 'ripple']);
    expect(names({ design: 'butterworth', ripple: 0.5 })).not.toContain('ripple');
    const labels = () => [...document.querySelectorAll('[data-region="rack"] [role="slider"]')].map((slider) => slider.getAttribute('aria-label') ?? '');
    expect(labels().some((label) => label.includes('Ripple'))).toBe(false);
    const node = app.active!.chain.nodes[0]!;
    app.active!.edit({ kind: 'set_argument', node: node.id, name: 'design', value: 'chebyshev1', gesture: null });
    await settle();
    expect(labels().some((label) => label.includes('Ripple'))).toBe(true);
  });
});
