// Effects found by what is typed, in the core's order; all of them, those of one purpose together, while nothing is.

import type { EffectView } from '../bindings';
import { search } from '../lib/search';
import { spokenLanguage } from '../text/language';
import type { App } from './app.svelte';

export class EffectSearch {
  query = $state('');
  private found: string[] | null = $state.raw(null);
  private asked = 0;

  constructor(private readonly app: App) {}

  get effects(): EffectView[] {
    if (this.found === null) return this.app.effectsByPurpose;
    return this.found.flatMap((name) => this.app.effectByName.get(name) ?? []);
  }

  async type(query: string): Promise<void> {
    this.query = query;
    const asked = ++this.asked;
    const found = query.trim() === '' ? null : [...new Set([...this.byShownWords(query), ...(await this.app.backend.call('editor.search_effects', { words: query }))])];
    // A later answer may overtake an earlier one.
    if (asked === this.asked) this.found = found;
  }

  /** Searches the words of the window's language; the core searches only English ones. */
  private byShownWords(query: string): string[] {
    if (spokenLanguage() === 'en') return [];
    return search(this.app.effectsByPurpose.map(({ name, title, summary }) => ({ name, title, words: summary })), query).map(({ name }) => name);
  }
}
