// Components in the test's document, taken down after each test, and what tests do with them. The document has no canvas and
// no layout; what is drawn is looked at in the real window.

import { flushSync, mount, unmount, type Component } from 'svelte';
import { afterEach, beforeEach, vi } from 'vitest';

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

/** Makes every element of a file's tests so many pixels high. */
export function elementsAreHigh(pixels: number): void {
  beforeEach(() => void Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => pixels }));
  afterEach(() => void Reflect.deleteProperty(HTMLElement.prototype, 'clientHeight'));
}

/** The element with a test id; null if there is none. */
export function find<E extends HTMLElement = HTMLElement>(id: string): E | null {
  return document.querySelector<E>(`[data-testid="${id}"]`);
}

/** The element with a test id, which must be there. */
export function by<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = find<E>(id);
  if (!found) throw new Error(`nothing is called ${id}`);
  return found;
}

export function key(element: Element, name: string, init: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...init });
  // The test's document takes Alt for AltGr.
  event.getModifierState = () => false;
  element.dispatchEvent(event);
  flushSync();
  return event;
}

/** Waits for what an action leads to: answers of a recorded core, and what is asked upon them, in ten turns. */
export async function settle(turnMs = 4): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((done) => setTimeout(done, turnMs));
  flushSync();
}

/** Waits until a check no longer throws, and gives what it gives. A busy machine may take its time. */
export function eventually<T>(check: () => T): Promise<T> {
  return vi.waitFor(check, { timeout: 40_000, interval: 20 });
}

/** Waits until something holds. */
export function until(holds: () => unknown): Promise<void> {
  return eventually(() => {
    flushSync();
    if (!holds()) throw new Error(`never so: ${holds}`);
  });
}
