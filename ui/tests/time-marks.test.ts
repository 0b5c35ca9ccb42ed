import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import AppView from '../src/App.svelte';
import { App } from '../src/state/app.svelte';
import type { DocumentState } from '../src/state/document.svelte';
import { settle, show } from './mounted';
import { recorded } from './recorded';

beforeEach(() => {
  // Every element of the test's document is a thousand pixels wide.
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, get: () => 1000 });
});
afterEach(() => {
  Reflect.deleteProperty(HTMLElement.prototype, 'clientWidth');
});

/** A recording with a thousand frames in sight: one a pixel. */
async function lanes(): Promise<{ app: App; active: DocumentState }> {
  const app = new App(recorded('demo'));
  show(AppView, { app });
  await settle();
  await app.documents.open('demo');
  await settle();
  const { active } = app.documents;
  if (!active) throw new Error('nothing was opened');
  active.setView({ start: 5000, end: 6000 });
  await settle();
  return { app, active };
}
const marks = (kind: string) => [...document.querySelectorAll<HTMLElement>(`[data-region="lanes"] .marks > .${kind}`)];
const xOf = (element: HTMLElement | undefined) => Number(/translateX\((-?[\d.]+)px\)/.exec(element?.style.transform ?? '')?.[1]);

describe('the marks of time', () => {
  it('stand where their frames are, and move with the view', async () => {
    const { active } = await lanes();
    active.setCursor(5250);
    await settle();
    expect(Math.abs(xOf(marks('cursor')[0]) - 250)).toBeLessThanOrEqual(1);
    active.setView({ start: 5200, end: 6200 });
    await settle();
    expect(Math.abs(xOf(marks('cursor')[0]) - 50)).toBeLessThanOrEqual(1);
    // Far away they wait just beyond the edge.
    active.setView({ start: 50_000, end: 51_000 });
    await settle();
    expect(xOf(marks('cursor')[0])).toBe(-10);
  });

  it('show the selection in lane and ruler, and a band in the ruler alone', async () => {
    const { app, active } = await lanes();
    active.dragSelection({ start: 5100, end: 5400 });
    await settle();
    expect([xOf(marks('part')[0]), marks('part')[0]?.style.width]).toEqual([100, '300px']);
    expect(marks('edge')).toHaveLength(2);
    active.dragSelection({ start: 5100, end: 5400 }, { low_hz: 100, high_hz: 1000 });
    await settle();
    // A band is drawn over the spectrogram; over a waveform it is a range of time.
    app.settings.setDisplay({ blend: 0 });
    await settle();
    expect([marks('above').length, marks('part').length, marks('edge').length]).toEqual([1, 1, 2]);
    app.settings.setDisplay({ blend: 1 });
    await settle();
    expect([marks('above').length, marks('part').length, marks('edge').length]).toEqual([1, 0, 0]);
    active.dragSelection({ start: 9000, end: 9100 });
    await settle();
    expect(marks('above')).toHaveLength(0);
  });

  it('name the place under the pointer while that is in sight, and no play head at rest', async () => {
    const { app } = await lanes();
    expect(marks('hover')).toHaveLength(0);
    app.hoverFrame = 5500;
    await settle();
    expect(Math.abs(xOf(marks('hover')[0]) - 500)).toBeLessThanOrEqual(1);
    expect(marks('label')[0]?.textContent).toMatch(/^0:00\.1/);
    app.hoverFrame = 7000;
    await settle();
    expect(marks('hover')).toHaveLength(0);
    expect(marks('head')[0]?.style.display).toBe('none');
  });
});
