// The main pages and dialogs in the pseudo-locale: whatever is still English there stands outside of the catalogue, or was
// read from it before the language was known.

import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { stretched } from '../src/text/pseudo';
import { speak } from '../src/text/language';
import type { DialogName } from '../src/state/dialogs.svelte';
import type { PageName } from '../src/pages/pages';
import { eventually, show } from './mounted';
import { recorded, type Scene } from './recorded';

await speak('qps-ploc');
const [{ default: AppView }, { App }, { english }, { wordsOf }, { openDemo, settle }] = await Promise.all([import('../src/App.svelte'), import('../src/state/app.svelte'), import('../src/text/catalogue'), import('../src/text/localise'), import('./demo-window')]);

/** The words that the pseudo-locale changes, of those that are said without values. */
const ENGLISH = new Set(wordsOf(english).filter(({ english, isPattern }) => !isPattern && /\p{L}{4}/u.test(english) && stretched(english) !== english).map(({ english }) => english));
/** Names, units, and what is data here. */
const SAME = new Set(['Undertone', 'LUFS', 'Music']);
/** Keys, names in the notation, and documentation, which is English. */
const KEPT = 'kbd, [data-testid="help-article"], article';

function said(): string[] {
  const found: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!walker.currentNode.parentElement?.closest(KEPT)) found.push(walker.currentNode.nodeValue ?? '');
  for (const element of document.querySelectorAll('*')) for (const name of ['aria-label', 'title', 'placeholder', 'alt']) found.push(element.getAttribute(name) ?? '');
  return found.map((each) => each.trim()).filter((each) => each !== '');
}

async function begun(scene: Scene): Promise<InstanceType<typeof App>> {
  const app = new App(recorded(scene));
  show(AppView, { app });
  await eventually(() => expect(document.querySelector('[data-testid="app"]')).not.toBeNull());
  return app;
}

function expectNoEnglish(least: number): void {
  flushSync();
  const words = said();
  expect(words.filter((each) => ENGLISH.has(each) && !SAME.has(each))).toEqual([]);
  // Otherwise nothing was looked at.
  expect(words.filter((each) => /[åéîñöšû]/.test(each)).length).toBeGreaterThan(least);
}

describe('in the pseudo-locale', () => {
  it('nothing is English where the window begins', async () => {
    await begun('empty');
    expectNoEnglish(10);
  });

  it.each<[PageName, Scene]>([['editor', 'demo'], ['library', 'library'], ['batch', 'batch'], ['help', 'empty']])('nothing is English on the page %s', async (page, scene) => {
    const app = await begun(scene);
    await settle();
    if (page === 'editor') await app.documents.open('demo');
    app.showPage(page);
    await settle();
    if (page === 'batch') await app.batch.addFolders();
    if (page === 'batch') await app.batch.chooseOutput();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expectNoEnglish(20);
  });

  it('nothing is English in the dialog export', async () => {
    const app = await openDemo('gain(12 dB)');
    app.dialogs.open = 'export';
    await settle();
    expectNoEnglish(40);
    await eventually(() => expect(document.querySelector('[data-testid="export-level"]')).not.toBeNull());
    expectNoEnglish(40);
  });

  it.each<DialogName>(['settings', 'add-effect', 'presets', 'shortcuts', 'palette', 'picture', 'about', 'go-to', 'effects'])('nothing is English in the dialog %s', async (dialog) => {
    const app = await begun('demo');
    app.dialogs.open = dialog;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expectNoEnglish(20);
  });
});
