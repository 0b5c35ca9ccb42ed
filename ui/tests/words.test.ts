import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'svelte/compiler';
import { describe, expect, it } from 'vitest';
import { contrast } from './contrast';
import { text } from '../src/text/catalogue';

const SOURCE = join(import.meta.dirname, '../src');
const files = (readdirSync(SOURCE, { recursive: true }) as string[]).filter((name) => /\.(ts|svelte|css)$/.test(name));
const read = (name: string) => readFileSync(join(SOURCE, name), 'utf8');
const components = files.filter((name) => name.endsWith('.svelte'));

describe('the catalogue', () => {
  const spoken = new Set(['aria-label', 'title', 'placeholder', 'alt', 'aria-description', 'label']);

  function words(node: unknown, found: string[]): string[] {
    if (Array.isArray(node)) for (const each of node) words(each, found);
    else if (node && typeof node === 'object') {
      const { type, name, value, data } = node as Record<string, unknown>;
      if (type === 'Text' && typeof data === 'string' && /\p{L}{2,}/u.test(data)) found.push(data.trim());
      if (type === 'StyleDirective' || type === 'ClassDirective') return found;
      if (type === 'Attribute') {
        const parts = Array.isArray(value) ? (value as { type: string; data?: string }[]) : [];
        if (spoken.has(String(name))) for (const part of parts) if (part.type === 'Text' && /\p{L}{2,}/u.test(part.data ?? '')) found.push(`${String(name)}=${part.data}`);
        return found;
      }
      for (const [key, each] of Object.entries(node)) if (key !== 'parent' && key !== 'css') words(each, found);
    }
    return found;
  }

  it.each(components)('holds every word of %s', (name) => {
    const { fragment } = parse(read(name), { modern: true });
    // Units are the same in every language.
    expect(words(fragment, []).filter((each) => !['MiB', 'dB', 'kHz'].includes(each))).toEqual([]);
  });

  it('holds no word that nobody says', () => {
    const all = files.filter((name) => !/^text[\\/]|[\\/]words([\\/]|\.ts$)/.test(name)).map(read).join('\n');
    const unused: string[] = [];
    const visit = (value: unknown, path: string[]) => {
      if (value && typeof value === 'object' && !Array.isArray(value)) for (const [key, each] of Object.entries(value)) visit(each, [...path, key]);
      else {
        const key = path.at(-1) ?? '';
        const group = path.at(-2) ?? '';
        // Tables are indexed by what they translate, here or by who is handed them.
        if (['formats', 'bitNames', 'dithers', 'themes', 'stages', 'purposes', 'menus', 'units', 'sides', 'blends', 'methods', 'windows', 'scales', 'colourNames', 'channelSets', 'compares', 'timeRulers', 'frequencyRulers', 'methodNotes', 'pictureFormats', 'averagings', 'holds', 'slopes'].includes(group)) return;
        if (group !== '' && new RegExp(`\\.${group}\\??\\[`).test(all)) return;
        // `text.rack[node.kind]` names these two.
        if (key !== 'series' && key !== 'parallel' && !new RegExp(`\\.${key}\\b`).test(all)) unused.push(path.join('.'));
      }
    };
    visit(text, []);
    expect(unused).toEqual([]);
  });
});

describe('the tokens', () => {
  const css = read('styles/tokens.css');
  const themes = ['dark', 'light', 'contrast'];
  const token = (theme: string, name: string): string => {
    const block = css.slice(css.indexOf(`[data-theme='${theme}']`));
    const value = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block.slice(0, block.indexOf('}')))?.[1];
    if (!value) throw new Error(`${theme} has no plain colour ${name}`);
    return value;
  };

  it.each(themes)('of the %s theme can be read: 4.5 to 1 or better, also when dim', (theme) => {
    for (const ink of ['text', 'text-dim', 'text-faint']) {
      for (const ground of ['background', 'lane', 'panel', 'raised']) {
        expect(contrast(token(theme, ink), token(theme, ground)), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    for (const ink of ['text', 'text-dim']) expect(contrast(token(theme, ink), token(theme, 'hover')), `${ink} on hover`).toBeGreaterThanOrEqual(4.5);
    for (const [ink, ground] of [['text', 'warning-wash'], ['text', 'clip-wash'], ['accent-ink', 'accent'], ['warning', 'panel'], ['warning', 'background'], ['clip', 'panel'], ['processed-strong', 'pressed'], ['original', 'pressed']] as const) {
      const least = ground === 'pressed' ? 3 : 4.5;
      expect(contrast(token(theme, ink), token(theme, ground)), `${ink} on ${ground}`).toBeGreaterThanOrEqual(least);
    }
  });

  it.each(themes)('of the %s theme show lines, handles and focus at 3 to 1 or better', (theme) => {
    for (const [ink, ground] of [['focus', 'panel'], ['focus', 'background'], ['processed', 'pressed'], ['original-core', 'lane'], ['playhead', 'lane'], ['selection-edge', 'lane'], ['cursor', 'lane'], ['processed-strong', 'lane'], ...Array.from({ length: 12 }, (_, at) => [`category-${at + 1}`, 'lane'] as const)] as const) {
      expect(contrast(token(theme, ink), token(theme, ground)), `${ink} on ${ground}`).toBeGreaterThanOrEqual(3);
    }
  });

  it('of all themes are the same set', () => {
    const names = themes.map((theme) => {
      const block = css.slice(css.indexOf(`[data-theme='${theme}']`));
      return [...block.slice(0, block.indexOf('}')).matchAll(/--([a-z-]+):/g)].map((match) => match[1]).sort();
    });
    expect(names[1]).toEqual(names[0]);
    expect(names[2]).toEqual(names[0]);
  });

  it('are the only place with colours', () => {
    for (const name of files.filter((each) => each !== join('styles', 'tokens.css'))) {
      expect(read(name).match(/#[0-9a-fA-F]{6}\b|\brgba?\(|\bhsla?\(/g) ?? [], name).toEqual([]);
    }
  });

  it('know black from white', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 6);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });
});

describe('the source', () => {
  it('knows Tauri in one folder only', () => {
    const users = files.filter((name) => read(name).includes('@tauri-apps'));
    expect(users.every((name) => name.startsWith('backend'))).toBe(true);
    expect(users).not.toEqual([]);
  });

  it('styles the cells of the status bar in one place', () => {
    const users = components.filter((name) => /class="status-cell/.test(read(name)));
    expect(users.map((name) => name.split(/[\\/]/).at(-1)).sort()).toEqual(['PointerReadout.svelte', 'ScanReadout.svelte', 'SelectionReadout.svelte', 'Status.svelte', 'StatusBar.svelte']);
    for (const name of users) expect(read(name), name).not.toMatch(/\.(status-)?cell\b|gap: 10px|font-size: var\(--text-label\)/);
  });

  it('keeps components small', () => {
    for (const name of components) expect(read(name).split('\n').length, name).toBeLessThan(250);
  });
});

describe('the ring of the focus', () => {
  it('lies above all that stands on the lanes', () => {
    const readComponent = (name: string) => read(components.find((each) => each.split(/[\\/]/).at(-1) === `${name}.svelte`)!);
    const levels = (name: string) => [...readComponent(name).matchAll(/z-index: (\d+);/g)].map((match) => Number(match[1]));
    const ring = /\.stage:focus-visible::after \{[^}]*z-index: (\d+);/.exec(readComponent('Lanes'))?.[1];
    const others = ['SpectrogramPopover', 'ToolSwitch', 'ColourRuler', 'ClipStrip', 'PartStrip', 'RepairBar', 'WipeDivider'].flatMap(levels);
    expect(others.length).toBeGreaterThan(3);
    expect(Number(ring)).toBeGreaterThan(Math.max(...others));
  });
});
