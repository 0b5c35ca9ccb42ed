// One component in the test's document, taken down after each test. The document has no canvas and no layout; what is drawn
// is looked at in the real window.

import { mount, unmount, type Component } from 'svelte';
import { afterEach, beforeEach } from 'vitest';

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

export function show<Props extends Record<string, any>>(component: Component<Props, any, any>, props: NoInfer<Props>): void {
  mounted = mount(component, { target: document.body, props });
}
