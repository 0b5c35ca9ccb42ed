// A newcomer's words find the right entries in the palette, the sheet of shortcuts and the help.

import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { App } from '../src/state/app.svelte';
import { text } from '../src/text/catalogue';
import { openDemo, settle } from './demo-window';
import { by, eventually, find } from './mounted';

async function type(id: string, words: string): Promise<void> {
  const field = await eventually(() => by<HTMLInputElement>(id));
  field.value = words;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await settle();
}

async function palette(app: App, words: string): Promise<string[]> {
  app.dialogs.open = 'palette';
  await settle();
  await type('palette-search', words);
  const found = [...document.querySelectorAll('[data-testid="palette"] [role="option"]')].map((option) => option.textContent ?? '');
  app.dialogs.open = null;
  await settle();
  return found;
}

describe('words that a newcomer types', () => {
  it('find commands, guides and effects in the palette', async () => {
    const app = await openDemo('gain(-3 dB)');
    expect((await palette(app, 'split'))[0]).toContain('Split');
    expect((await palette(app, 'cut'))[0]).toContain('Cut');
    expect((await palette(app, 'guide')).filter((each) => each.includes('Help: ')).length).toBeGreaterThan(8);
    expect((await palette(app, 'marker')).some((each) => each.includes('Help: Markers'))).toBe(true);
    const louder = (await palette(app, 'louder')).join('|');
    expect(louder).toContain('Add Gain');
    expect(louder).toContain('Add Normalise');
    const noise = (await palette(app, 'noise')).filter((each) => each.includes('Add '));
    expect(noise[0]).toContain('Add Denoise');
  });

  it('open the guide that was chosen', async () => {
    const app = await openDemo('gain(-3 dB)');
    app.dialogs.open = 'palette';
    await settle();
    await type('palette-search', 'help markers');
    find('palette-guide-markers')?.click();
    await eventually(() => expect([app.page, app.help.guide]).toEqual(['help', 'markers']));
  });

  it('find their keys on the sheet', async () => {
    const app = await openDemo('gain(-3 dB)');
    app.dialogs.open = 'shortcuts';
    await settle();
    for (const [words, title] of [['split', 'Split'], ['cut', 'Cut'], ['divide', 'Split']] as const) {
      await type('shortcuts-search', words);
      expect(document.querySelector('[data-testid="shortcuts"] dl')?.textContent, words).toContain(title);
    }
  });

  it('find the keys of the page in front first', async () => {
    const app = await openDemo('gain(-3 dB)');
    const groups = () => [...document.querySelectorAll('[data-testid="shortcuts"] h3')].map((head) => head.textContent);
    const { controls, scopes } = text.shortcuts;
    for (const [page, there, elsewhere] of [['compare', scopes.versions, scopes.map], ['blind', scopes.versions, scopes.map], ['library', scopes.map, scopes.markers], ['editor', scopes.markers, scopes.versions]] as const) {
      app.page = page;
      app.dialogs.open = 'shortcuts';
      await settle();
      expect(groups()[0]).toBe(controls);
      expect(groups().indexOf(there), page).toBeLessThan(groups().indexOf(elsewhere));
      app.dialogs.open = null;
      await settle();
    }
  });

  it('find guides and effects in the help', async () => {
    const app = await openDemo('gain(-3 dB)');
    app.help.show();
    await eventually(() => expect(find('help-article')).not.toBeNull());
    for (const [words, effect] of [['knee', 'compressor'], ['louder', 'gain'], ['louder', 'normalize']] as const) {
      await type('help-search', words);
      await eventually(() => expect(find(`help-effect-${effect}`), words).not.toBeNull());
    }
    find('help-effect-gain')?.click();
    flushSync();
    expect(app.dialogs.shownEffect).toBe('gain');
    app.dialogs.open = null;
    for (const words of ['guide', 'split', 'cut', 'marker']) {
      await type('help-search', words);
      await eventually(() => expect(document.querySelectorAll('[data-testid="help-found"]').length, words).toBeGreaterThan(0));
    }
  });
});
