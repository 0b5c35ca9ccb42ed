// The guides' content: the files of docs/, bundled at build time.

import { lexer, type Token } from 'marked';
import { GUIDES, type GuideName } from '../../lib/help/guides';
import { slug } from '../../lib/help/links';

export interface Section {
  /** The id for links; empty for the text before the first heading of a guide. */
  id: string;
  title: string;
  /** 1 for the guide's title. */
  level: number;
  tokens: Token[];
  /** The text, for the search. */
  text: string;
}

export interface Guide {
  name: GuideName;
  title: string;
  sections: Section[];
}

const sources = import.meta.glob<string>('../../../../docs/*.md', { query: '?raw', import: 'default', eager: true });
const files = import.meta.glob<string>('../../../../docs/pictures/*.png', { query: '?url', import: 'default', eager: true });
const DOCS = '../../../../docs/';

/** The address of a picture that a guide names; null if there is no such file. */
export const pictureOf = (href: string): string | null => files[`${DOCS}${href}`] ?? null;

/** The words of parsed Markdown. */
function wordsOf(tokens: Token[]): string {
  return tokens
    .map((token): string => {
      if (token.type === 'table') return [...token.header, ...token.rows.flat()].map((cell) => wordsOf(cell.tokens)).join(' ');
      if (token.type === 'list') return token.items.map((item: { tokens: Token[] }) => wordsOf(item.tokens)).join(' ');
      if (token.type === 'html') return ' ';
      if ('tokens' in token && token.tokens) return wordsOf(token.tokens);
      return 'text' in token ? token.text : '';
    })
    .join(' ')
    .replace(/\s+/g, ' ');
}

export function sectionsOf(source: string): Section[] {
  const sections: Section[] = [];
  const known = new Map<string, number>();
  for (const token of lexer(source)) {
    if (token.type === 'heading') {
      const title = wordsOf(token.tokens ?? []).trim();
      const name = slug(title);
      const times = known.get(name) ?? 0;
      known.set(name, times + 1);
      sections.push({ id: times === 0 ? name : `${name}-${times}`, title, level: token.depth, tokens: [], text: '' });
      continue;
    }
    const last = sections.at(-1);
    if (last) last.tokens.push(token);
    else sections.push({ id: '', title: '', level: 1, tokens: [token], text: '' });
  }
  for (const section of sections) section.text = wordsOf(section.tokens);
  return sections;
}

export const guides: Guide[] = GUIDES.map((name) => {
  const sections = sectionsOf(sources[`${DOCS}${name}.md`] ?? '');
  return { name, title: sections[0]?.title ?? name, sections };
});
