// Words that the core says in English: effects, parameters, presets, steps of the history. Another language looks them up by
// the English, as gettext does; what it does not have stays English.

import type { EffectView, LibraryView, ParameterView, PresetView, SpectrogramPreset } from '../bindings';
import { withMark } from '../lib/decimal';
import { coreWords } from './language';

/** A language's words for those of the core. */
export interface CoreWords {
  /** By the English, or by `effect.parameter|English` where one word has two meanings. */
  words: Record<string, string>;
  /** Sentences with values: `Change {1} of {2}`. Values are looked up too. */
  sentences: Record<string, string>;
}

interface Lookup {
  exact: Map<string, string>;
  /** Within sentences, the core writes titles small. */
  small: Map<string, string>;
  sentences: { pattern: RegExp; says: string }[];
}

const lookups = new WeakMap<CoreWords, Lookup>();

function lookupOf(core: CoreWords): Lookup {
  const known = lookups.get(core);
  if (known) return known;
  const made: Lookup = {
    exact: new Map(Object.entries(core.words)),
    small: new Map([...Object.entries(core.words)].sort(([a], [b]) => Number(isTitle(a)) - Number(isTitle(b))).map(([english, says]) => [english.toLowerCase(), says])),
    sentences: Object.entries(core.sentences).map(([english, says]) => ({ pattern: patternOf(english), says })),
  };
  lookups.set(core, made);
  return made;
}

/** Titles begin with a capital; the words of choices do not. */
const isTitle = (english: string): boolean => /^\p{Lu}/u.test(english);

const patternOf = (english: string): RegExp => new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\d\}/g, '(.+)')}$`, 's');

/** Words of the core in the language in use. `context` is `effect.parameter`, for words of two meanings. */
export function said(english: string, context = ''): string {
  const core = coreWords();
  if (core === null || english === '') return english;
  if (typeof core === 'function') return core(english);
  const { exact, small, sentences } = lookupOf(core);
  const word = exact.get(`${context}|${english}`) ?? exact.get(english);
  if (word !== undefined) return word;
  for (const { pattern, says } of sentences) {
    const values = pattern.exec(english)?.slice(1);
    if (values) return says.replace(/\{(\d)\}/g, (_, at: string) => valueOf(values[Number(at) - 1] ?? '', small));
  }
  return english;
}

// A value may be a sentence too, such as the reason of a failure; it is shorter than what it stands in.
const valueOf = (value: string, small: Map<string, string>): string => small.get(value.toLowerCase()) ?? (/^[+-]?\d+\.\d+( k?Hz)?$/.test(value) ? withMark(value) : said(value));

function parameterInLanguage(parameter: ParameterView, effect: string): ParameterView {
  const context = `${effect}.${parameter.name}`;
  const rest = parameter.rest && { ...parameter.rest, word: said(parameter.rest.word) };
  return { ...parameter, title: said(parameter.title, context), help: said(parameter.help, context), rest };
}

/** An effect as it is shown. Its names in the notation and its documentation stay as they are. */
export const effectInLanguage = (effect: EffectView): EffectView => ({
  ...effect,
  title: said(effect.title),
  summary: said(effect.summary),
  parameters: effect.parameters.map((parameter) => parameterInLanguage(parameter, effect.name)),
});

export const presetInLanguage = (preset: SpectrogramPreset): SpectrogramPreset => ({ ...preset, title: said(preset.title), help: said(preset.help) });

/** The name of a preset; those of the user stay as they were named. */
export const presetTitle = (preset: PresetView): string => (preset.factory ? said(preset.name) : preset.name);

/** The library with the meanings of its columns and dimensions. How dimensions are computed stays as it is documented. */
export function libraryInLanguage(view: LibraryView): LibraryView {
  const means = <Told extends { meaning: string }>(told: Told): Told => ({ ...told, meaning: said(told.meaning) });
  return { ...view, columns: view.columns.map(means), dimensions: view.dimensions.map(means) };
}
