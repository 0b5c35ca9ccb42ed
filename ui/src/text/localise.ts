// The catalogue in another language.

import type { IntlMessageFormat } from 'intl-messageformat';
import { isComposed, isMessage } from './message';

type Pattern = ConstructorParameters<typeof IntlMessageFormat>[0];

/** A language's words by their path in the catalogue; null leaves the English ones. */
export interface Translator {
  locale: string;
  plain(path: string[], english: string): string | null;
  pattern(path: string[], english: string): Pattern | null;
}

/** Words by the catalogue's keys; what is missing stays English. */
export type Words = string | Words[] | { [key: string]: Words };

/** Builds the catalogue in a translator's language. Functions without words are kept. */
export function localise<Catalogue>(catalogue: Catalogue, translator: Translator): Catalogue {
  return translated(catalogue, [], translator) as Catalogue;
}

function translated(value: unknown, path: string[], translator: Translator): unknown {
  if (typeof value === 'string') return translator.plain(path, value) ?? value;
  if (isMessage(value)) {
    const pattern = translator.pattern(path, value.pattern);
    return pattern === null ? value : value.in(pattern, translator.locale);
  }
  if (isComposed(value)) return value.with(translated(value.parts, path, translator) as object);
  if (Array.isArray(value)) return value.map((each, at) => translated(each, [...path, String(at)], translator));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, translated(each, [...path, key], translator)]));
}

/** A translator that looks words up by their path. */
export function fromWords(words: Words, locale: string): Translator {
  const find = (path: string[]): string | null => {
    let at: unknown = words;
    for (const key of path) at = at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined;
    return typeof at === 'string' ? at : null;
  };
  return { locale, plain: find, pattern: find };
}

/** All words of a catalogue with their paths, as a translator needs them. */
export function wordsOf(value: unknown, path: string[] = []): { path: string[]; english: string; isPattern: boolean }[] {
  if (typeof value === 'string') return [{ path, english: value, isPattern: false }];
  if (isMessage(value)) return [{ path, english: value.pattern, isPattern: true }];
  if (isComposed(value)) return wordsOf(value.parts, path);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, each]) => wordsOf(each, [...path, key]));
}
