import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked, type Token } from 'marked';
import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { guides, pictureOf, sectionsOf } from '../src/pages/help/content';
import { GUIDE_GROUPS, GUIDES } from '../src/lib/help/guides';
import { linkOf, slug } from '../src/lib/help/links';
import { searchOver } from '../src/pages/help/search';
import { openDemo, settle } from './demo-window';
import { eventually, find } from './mounted';

const DOCS = join(import.meta.dirname, '../../docs');

function tokensOf(kind: 'link' | 'image', tokens: Token[]): { href: string }[] {
  const found: { href: string }[] = [];
  marked.walkTokens(tokens, (token) => void (token.type === kind && found.push(token as unknown as { href: string })));
  return found;
}

describe('the guides', () => {
  it('are all of docs/, each in one group, with a title', () => {
    const files = readdirSync(DOCS).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3));
    expect([...GUIDES].sort()).toEqual(files.sort());
    expect(Object.values(GUIDE_GROUPS).flat().sort()).toEqual([...GUIDES].sort());
    for (const guide of guides) {
      expect(guide.sections[0]).toMatchObject({ level: 1, title: guide.title });
      expect(readFileSync(join(DOCS, `${guide.name}.md`), 'utf8')).toContain(`# ${guide.title}`);
      const ids = guide.sections.map((section) => section.id);
      expect(new Set(ids).size, guide.name).toBe(ids.length);
    }
  });

  it('show every picture, ten of them on the tour', () => {
    const pictures = new Map(guides.map((guide) => [guide.name, tokensOf('image', guide.sections.flatMap((section) => section.tokens)).map(({ href }) => href)]));
    expect(new Set(pictures.get('tour')).size).toBe(10);
    for (const href of [...pictures.values()].flat()) {
      expect(existsSync(join(DOCS, href)), href).toBe(true);
      expect(pictureOf(href), href).toMatch(/\.png/);
    }
    expect(pictureOf('pictures/none.png')).toBeNull();
  });

  it('have no link that leads nowhere', () => {
    for (const guide of guides) {
      for (const { href } of tokensOf('link', guide.sections.flatMap((section) => section.tokens))) {
        const link = linkOf(href, guide.name);
        if (link.kind === 'place' && link.section !== null) expect(guides.find((each) => each.name === link.guide)?.sections.map((section) => section.id), href).toContain(link.section);
        if (link.kind === 'nowhere') expect(existsSync(join(DOCS, href.split('#')[0] ?? '')), href).toBe(true);
      }
    }
    expect(linkOf('features.md#the-25-dimensions', 'library')).toEqual({ kind: 'place', guide: 'features', section: 'the-25-dimensions' });
    expect(linkOf('#the-map', 'library')).toEqual({ kind: 'place', guide: 'library', section: 'the-map' });
    expect(linkOf('https://example.org/a', 'tour')).toEqual({ kind: 'web', url: 'https://example.org/a' });
    for (const href of ['../README.md', 'design/library.md', 'javascript:alert(1)', '']) expect(linkOf(href, 'tour')).toEqual({ kind: 'nowhere' });
  });

  it('are cut at headings that links reach', () => {
    const sections = sectionsOf('# One\n\ntext `code`\n\n## What is *here*?\n\n| a | b |\n|---|---|\n| c | d |\n\n## What is here?\n');
    expect(sections.map(({ id, level, text }) => [id, level, text.trim()])).toEqual([['one', 1, 'text code'], ['what-is-here', 2, 'a b c d'], ['what-is-here-1', 2, '']]);
    expect(slug('Tags: what is read, and how much')).toBe('tags-what-is-read-and-how-much');
  });
});

describe('the search', () => {
  const search = searchOver(guides);

  it('finds a place by a word, by its beginning and in spite of a slip', () => {
    expect(search('goniometer')[0]).toMatchObject({ guide: 'seeing', section: 'what-is-heard' });
    expect(search('goniom')[0]).toMatchObject({ guide: 'seeing' });
    expect(search('gonoimeter')[0]).toMatchObject({ guide: 'seeing' });
    expect(search('goniometer')[0]?.excerpt.toLowerCase()).toContain('goniometer');
    expect(search('trustworthiness map').map(({ guide, section }) => `${guide}#${section}`)).toContain('library#the-map');
    expect(search('xyzzyq')).toEqual([]);
  });
});

describe('the help page', () => {
  const press = (key: string, target: EventTarget = window) => target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));

  it('opens by its key, is searched, and goes back to where one was', async () => {
    const app = await openDemo('gain(-3 dB)');
    press('F1', document.body);
    await eventually(() => expect(find('help-article')?.querySelector('h1')?.textContent).toBe('Tour in ten pictures'));
    expect(document.querySelectorAll('[data-testid="help-article"] img')).toHaveLength(10);
    const field = find('help-search') as HTMLInputElement;
    field.value = 'goniometer';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    find('help-found')?.click();
    await settle();
    expect(find('help-article')?.querySelector('h1')?.textContent).toBe('Seeing sound');
    expect(document.activeElement?.id).toBe('help-what-is-heard');
    find('help-back')?.click();
    await settle();
    expect(app.help.guide).toBe('tour');
    press('Escape', document.body);
    await settle();
    expect(app.page).toBe('editor');
    expect(find('help-page')).toBeNull();
  });

  it('opens at the guide of what is beside its button, and follows links in place', async () => {
    const app = await openDemo('gain(-3 dB)');
    app.help.show('tour', '2-see-it');
    await eventually(() => expect(document.activeElement?.id).toBe('help-2-see-it'));
    const link = [...document.querySelectorAll<HTMLAnchorElement>('[data-testid="help-article"] a')].find((each) => each.textContent === 'Seeing sound');
    link?.click();
    await settle();
    expect(app.help.guide).toBe('seeing');
    // No text of a guide becomes markup, and no link leaves the program.
    expect(document.querySelectorAll('[data-testid="help-article"] a[href^="http"]')).toHaveLength(0);
  });
});
