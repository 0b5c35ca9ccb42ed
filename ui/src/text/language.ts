// The language of the window. It is chosen once, before any of its words is read: another one begins with another page.

import { setDecimalMark } from '../lib/decimal';
import type { Language } from '../bindings';
import { fromWords, localise, type Translator, type Words } from './localise';
import type { CoreWords } from './core-words';

/** The languages that the window has, and the one that tests its layout. */
export type Spoken = Exclude<Language, 'system'> | 'qps-ploc';

interface Resources {
  translator: Translator;
  core: CoreWords | ((english: string) => string);
  decimalMark: string;
}

const RESOURCES: Record<Exclude<Spoken, 'en'>, () => Promise<Resources>> = {
  de: async () => {
    const [words, core] = await Promise.all([import('./locales/de.json'), import('./locales/de.core.json')]);
    return { translator: fromWords(words.default as unknown as Words, 'de'), core: core.default as CoreWords, decimalMark: ',' };
  },
  'qps-ploc': async () => {
    const { pseudo, stretched } = await import('./pseudo');
    return { translator: pseudo, core: stretched, decimalMark: '.' };
  },
};

let spoken: Spoken = 'en';
let resources: Resources | null = null;

/** The language in use. */
export const spokenLanguage = (): Spoken => spoken;

// German writes nouns with capitals wherever they stand.
const CAPITAL_NOUNS: Spoken[] = ['de'];

/** Words that stand alone elsewhere, as they stand within a line. */
export const inSentence = (words: string): string => (CAPITAL_NOUNS.includes(spoken) ? words : words.charAt(0).toLowerCase() + words.slice(1));

/** Words of the core that stand alone, such as the choices of a parameter. */
export const capitalised = (words: string): string => words.charAt(0).toLocaleUpperCase() + words.slice(1);

/** The language's words for those of the core; null for English. */
export const coreWords = (): Resources['core'] | null => resources?.core ?? null;

/** The catalogue in the language in use. */
export const inLanguage = <Catalogue>(english: Catalogue): Catalogue => (resources ? localise(english, resources.translator) : english);

/** Loads a language. Call it before anything imports the catalogue. */
export async function speak(language: Spoken): Promise<void> {
  resources = language === 'en' ? null : await RESOURCES[language]();
  spoken = language;
  setDecimalMark(resources?.decimalMark ?? '.');
  document.documentElement.lang = language;
}

/** The language that the page's address asks for, as tests do: `?language=qps-ploc`. */
export function askedLanguage(search: string): Spoken | null {
  const asked = new URLSearchParams(search).get('language');
  return asked === 'en' || asked === 'qps-ploc' || asked === 'de' ? asked : null;
}

/** The language that a setting means: for `system` the first of the system's that the window has. */
export function resolveLanguage(setting: Language, system: readonly string[]): Spoken {
  if (setting !== 'system') return setting;
  for (const tag of system) {
    const [name] = tag.toLowerCase().split(/[-_]/);
    if (name === 'de' || name === 'en') return name;
  }
  return 'en';
}
