// Word search: every typed word must occur; matches rank higher the earlier and the closer to the title they are.

export interface Searchable {
  title: string;
  /** Further search words. */
  words?: string;
}

const plain = (text: string): string => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('-', ' ');

function score(token: string, title: string, words: string): number {
  if (title.startsWith(token)) return 5;
  if (title.includes(` ${token}`)) return 4;
  if (` ${words} `.includes(` ${token} `)) return 3;
  if (title.replaceAll(' ', '').includes(token.replaceAll(' ', ''))) return 2;
  return words.includes(token) ? 1 : 0;
}

/** The matching items, the best first; all of them in the given order if nothing is typed. */
export function search<T extends Searchable>(items: readonly T[], query: string): T[] {
  const tokens = plain(query).split(/\s+/).filter((token) => token !== '');
  if (tokens.length === 0) return [...items];
  return items
    .map((item, index) => {
      const title = plain(item.title);
      const words = plain(item.words ?? '');
      const scores = tokens.map((token) => score(token, title, words));
      return { item, index, total: scores.includes(0) ? 0 : scores.reduce((sum, each) => sum + each, 0) };
    })
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total || a.index - b.index)
    .map(({ item }) => item);
}
