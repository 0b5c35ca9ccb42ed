// Finding places in the guides by words.

import MiniSearch from 'minisearch';
import type { Guide } from './content';
import type { GuideName } from '../../lib/help/guides';

export interface Found {
  guide: GuideName;
  section: string;
  title: string;
  /** Some words around the first match. */
  excerpt: string;
}

const AROUND = 90;
const MAX_FOUND = 30;

/** Makes a search over the guides. Words may be prefixes or slightly misspelt. */
export function searchOver(guides: Guide[]): (query: string) => Found[] {
  const index = new MiniSearch<{ id: number; title: string; text: string; words: string }>({ fields: ['title', 'text', 'words'] });
  const places = guides.flatMap((guide) => guide.sections.map((section) => ({ guide: guide.name, section })));
  index.addAll(places.map(({ section }, id) => ({ id, title: section.title, text: section.text, words: section.level === 1 ? 'guide guides' : '' })));
  return (query) => {
    const found = index.search(query, { boost: { title: 3 }, prefix: true, fuzzy: (term) => (term.length > 4 ? 0.2 : false), combineWith: 'AND' });
    return found.slice(0, MAX_FOUND).flatMap(({ id, terms }) => {
      const place = places[id as number];
      return place ? [{ guide: place.guide, section: place.section.id, title: place.section.title, excerpt: excerptOf(place.section.text, terms) }] : [];
    });
  };
}

function excerptOf(text: string, terms: string[]): string {
  const plain = text.toLowerCase();
  const at = Math.max(0, Math.min(...terms.map((term) => plain.indexOf(term)).filter((place) => place >= 0), text.length));
  const from = at === text.length ? 0 : Math.max(0, text.lastIndexOf(' ', Math.max(0, at - AROUND / 2)));
  const cut = text.slice(from, from + 2 * AROUND).trim();
  return `${from > 0 ? '…' : ''}${cut}${from + 2 * AROUND < text.length ? '…' : ''}`;
}
