// The colours in force: the user's choice, or the system's.

import type { Theme } from '../bindings';

export type Colours = Exclude<Theme, 'system'>;

export function resolveTheme(theme: Theme, matches = (query: string) => window.matchMedia(query).matches): Colours {
  if (theme !== 'system') return theme;
  if (matches('(prefers-contrast: more)')) return 'contrast';
  return matches('(prefers-color-scheme: light)') ? 'light' : 'dark';
}

/** Calls when the system's preference changes. */
export function onSystemTheme(action: () => void): () => void {
  const queries = ['(prefers-contrast: more)', '(prefers-color-scheme: light)'].map((query) => window.matchMedia(query));
  for (const query of queries) query.addEventListener('change', action);
  return () => {
    for (const query of queries) query.removeEventListener('change', action);
  };
}
