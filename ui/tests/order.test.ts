import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { chainInWords } from '../src/pages/editor/lib/preset-words';
import { find } from './mounted';
import { EFFECTS } from './recorded';
import { openDemo, settle } from './demo-window';

describe('an effect that sets the level', () => {
  it('says that effects behind it change the level, and moves to the end when asked', async () => {
    const app = await openDemo('normalize(-1 dB) | highpass(80 Hz)');
    expect(find('order-hint-1')?.textContent).toContain('Effects below this one change its level.');
    find('to-end-1')?.click();
    await app.documents.active?.edits.idle();
    await settle();
    expect(app.documents.active?.chain.nodes.map((node) => (node.kind === 'effect' ? node.effect : ''))).toEqual(['highpass', 'normalize']);
    expect(find('order-hint-2')).toBeNull();
  });

  it('says nothing about effects that leave its level alone, or that are off', async () => {
    for (const chain of ['normalize(-1 dB) | limiter', 'highpass(80 Hz) | normalize(-1 dB)', 'normalize(-1 dB) | off(highpass(80 Hz))', 'limiter | invert']) {
      const app = await openDemo(chain);
      expect(app.documents.active?.data.chain_problem, chain).toBeNull();
      expect(document.querySelector('[data-testid^="order-hint"]'), chain).toBeNull();
    }
    await openDemo('limiter | (gain(3 dB) | invert)');
    expect(find('order-hint-1')).not.toBeNull();
  });
});

describe('a preset', () => {
  it('is described by its effects, and its text is the tooltip', async () => {
    const app = await openDemo('gain(-3 dB)');
    const effects = new Map(EFFECTS.map((effect) => [effect.name, effect]));
    const preset = app.presets.find((each) => each.name === 'Speech: clear');
    expect(preset && chainInWords(preset.chain, effects)).toBe('High-pass 80 Hz, Peaking 250 Hz, Peaking 3 kHz');
    app.dialogs.open = 'presets';
    await settle();
    const row = find('preset-load-Speech: clear')?.parentElement?.querySelector<HTMLElement>('.text');
    expect(row?.textContent).toMatch(/^High-pass/);
    expect(row?.title).toBe(preset?.text);
  });
});

describe('the choices of a parameter', () => {
  it('begin with a capital letter', async () => {
    await openDemo('highpass(80 Hz) | compressor');
    flushSync();
    const words = [...document.querySelectorAll('.choice [role="radio"], .select')].map((each) => each.textContent?.trim() ?? '');
    expect(words.length).toBeGreaterThan(1);
    expect(words.filter((word) => /^\p{Ll}/u.test(word))).toEqual([]);
  });
});
