// Messages with values in ICU MessageFormat, which are parsed when they are first said.

import { IntlMessageFormat } from 'intl-messageformat';
import { formatInteger } from '../lib/quantity';

type Values = Record<string, string | number>;
type Pattern = ConstructorParameters<typeof IntlMessageFormat>[0];
type Options = NonNullable<ConstructorParameters<typeof IntlMessageFormat>[3]>;
type Formatters = NonNullable<Options['formatters']>;

/** A message, said as a function; `pattern` is what a translator gets. */
export interface Message<Args extends unknown[] = never[]> {
  (...args: Args): string;
  readonly pattern: string;
  /** The same message by another pattern. */
  in(pattern: Pattern, locale: string): Message<Args>;
}

/** A function of several messages; `parts` is what a translator gets. */
export interface Composed<Parts extends object = object> {
  readonly parts: Parts;
  /** The same function of other words. */
  with(parts: Parts): unknown;
}

// Whole numbers are written alike wherever the window shows them.
const integers = { format: formatInteger } as unknown as Intl.NumberFormat;
const plurals = new Map<string, Intl.PluralRules>();
const formatters = {
  getNumberFormat: () => integers,
  getDateTimeFormat: (...args: ConstructorParameters<typeof Intl.DateTimeFormat>) => new Intl.DateTimeFormat(...args),
  getPluralRules: (locale: string) => {
    const rules = plurals.get(locale) ?? new Intl.PluralRules(locale);
    plurals.set(locale, rules);
    return rules;
  },
} as unknown as Formatters;

/** A message whose pattern takes the values that `values` makes of its arguments. */
export function message<Args extends unknown[]>(pattern: string, values: (...args: Args) => Values): Message<Args> {
  const say = (source: Pattern, locale: string): Message<Args> => {
    let format: IntlMessageFormat | null = null;
    const said = (...args: Args): string => {
      format ??= new IntlMessageFormat(source, locale, undefined, { formatters, ignoreTag: true });
      return String(format.format(values(...args)));
    };
    return Object.assign(said, { pattern, in: say });
  };
  return say(pattern, 'en');
}

/** A function that has more to decide than a pattern can, made of the words that it says. */
export function composed<Parts extends object, Say extends (...args: never[]) => unknown>(parts: Parts, make: (words: Parts) => Say): Say & Composed<Parts> {
  const of = (words: Parts): Say & Composed<Parts> => Object.assign(make(words), { parts: words, with: of });
  return of(parts);
}

export const isMessage = (value: unknown): value is Message => typeof value === 'function' && 'pattern' in value;
export const isComposed = (value: unknown): value is Composed => typeof value === 'function' && 'parts' in value;
