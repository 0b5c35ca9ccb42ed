// The work that a translator still has to do: compares a language's files with the catalogue and with the core's words.

import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { english } from '../src/text/catalogue';
import type { CoreWords } from '../src/text/core-words';
import { wordsOf, type Words } from '../src/text/localise';

const LOCALES = join(import.meta.dirname, '../src/text/locales');
const ROOT = join(import.meta.dirname, '../..');
const RECORDED = join(import.meta.dirname, 'recorded');

/** The languages that have files. */
export const languages = (): string[] => readdirSync(LOCALES).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? []);

const readJson = (name: string): unknown => (existsSync(join(LOCALES, name)) ? JSON.parse(readFileSync(join(LOCALES, name), 'utf8')) : {});
export const wordsIn = (language: string): Words => readJson(`${language}.json`) as Words;
export const coreWordsIn = (language: string): CoreWords => ({ words: {}, sentences: {}, ...(readJson(`${language}.core.json`) as Partial<CoreWords>) });

/** A word of the core that can be shown, with the place that tells two meanings apart. */
export interface CoreWord {
  english: string;
  context: string;
}

interface RecordedState {
  queries: { call: string; outcome?: { answer?: never } }[];
}

function answersOf(scene: string, call: string): unknown[] {
  const { shared, states } = JSON.parse(readFileSync(join(RECORDED, `${scene}.json`), 'utf8')) as { shared: Record<string, unknown>; states: RecordedState[] };
  // Parts that several answers have in common are recorded once.
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole);
    if (value === null || typeof value !== 'object') return value;
    const at = (value as { $?: number }).$;
    return at === undefined ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, whole(each)])) : whole(shared[at]);
  };
  return states.flatMap(({ queries }) => queries.filter((each) => each.call === call).map((each) => whole(each.outcome?.answer)));
}

type Effect = { name: string; title: string; summary: string; parameters: { name: string; title: string; help: string; control: { kind: string; options?: string[] }; rest: { word: string } | null }[] };

/** Every title, summary, help and choice of the effects, and the words of presets and of the library's columns. */
export function shownCoreWords(): CoreWord[] {
  const plain = (english: string): CoreWord => ({ english, context: '' });
  const effects = (JSON.parse(readFileSync(join(RECORDED, 'shared/effects.json'), 'utf8')) as Effect[]).flatMap(({ name, title, summary, parameters }) => [
    plain(title),
    plain(summary),
    ...parameters.flatMap(({ name: parameter, title, help, control, rest }) => {
      const context = `${name}.${parameter}`;
      return [{ english: title, context }, { english: help, context }, ...(control.options ?? []).map((option) => plain(option.replaceAll('_', ' '))), ...(rest ? [plain(rest.word)] : [])];
    }),
  ]);
  const [presets = []] = answersOf('demo', 'editor.presets') as { name: string; task: string | null; factory: boolean }[][];
  const [spectrograms = []] = answersOf('demo', 'editor.spectrogram_presets') as { title: string; help: string }[][];
  const [library] = answersOf('library-empty', 'library.view') as { columns: { meaning: string }[]; dimensions: { meaning: string }[] }[];
  return [
    ...effects,
    ...presets.filter(({ factory }) => factory).flatMap(({ name, task }) => [name, ...(task === null ? [] : [task])].map(plain)),
    ...spectrograms.flatMap(({ title, help }) => [title, help].map(plain)),
    ...[...(library?.columns ?? []), ...(library?.dimensions ?? [])].map(({ meaning }) => plain(meaning)),
  ];
}

export interface Work {
  /** Not translated yet. */
  missing: string[];
  /** Translated, but no longer said. */
  stale: string[];
  /** Translated, but not fitting what is said. */
  wrong: string[];
}

/** The values of a pattern, and the categories of its plurals. */
function shapeOf(pattern: string): { values: string[]; plurals: { value: string; categories: string[] }[] } {
  const values = new Set<string>();
  const plurals: { value: string; categories: string[] }[] = [];
  const visit = (elements: MessageFormatElement[]): void => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
      values.add(element.value);
      if (element.type === TYPE.plural) plurals.push({ value: element.value, categories: Object.keys(element.options).filter((name) => !name.startsWith('=')) });
      if (element.type === TYPE.plural || element.type === TYPE.select) for (const option of Object.values(element.options)) visit(option.value);
    }
  };
  visit(parse(pattern, { ignoreTag: true }));
  return { values: [...values].sort(), plurals };
}

/** Why a translated pattern cannot stand for the English one; null if it can. */
export function problemOf(original: string, translated: string, language: string): string | null {
  try {
    const [wanted, given] = [shapeOf(original), shapeOf(translated)];
    if (wanted.values.join() !== given.values.join()) return `has {${given.values.join('}, {')}} instead of {${wanted.values.join('}, {')}}`;
    const categories = [...new Intl.PluralRules(language).resolvedOptions().pluralCategories].sort().join();
    const plural = given.plurals.find((each) => [...each.categories].sort().join() !== categories);
    return plural ? `has ${plural.categories.join()} for {${plural.value}}, and the language ${categories}` : null;
  } catch (reason) {
    return `cannot be read: ${(reason as Error).message}`;
  }
}

function leaves(words: unknown, path: string[] = []): [string, string][] {
  if (typeof words === 'string') return [[path.join('.'), words]];
  return Object.entries(words as object).flatMap(([key, each]) => leaves(each, [...path, key]));
}

/** The work that is left in the catalogue. */
export function catalogueWork(words: Words, language: string): Work {
  const wanted = new Map(wordsOf(english).map((each) => [each.path.join('.'), each]));
  const given = new Map(leaves(words));
  const wrong = [...wanted].flatMap(([path, { english, isPattern }]) => {
    const translated = given.get(path);
    const problem = translated === undefined ? null : translated.trim() === '' && english.trim() !== '' ? 'is empty' : isPattern ? problemOf(english, translated, language) : null;
    return problem === null ? [] : [`${path} ${problem}`];
  });
  return {
    missing: [...wanted].filter(([path]) => !given.has(path)).map(([path, { english }]) => `${path} = ${english}`),
    stale: [...given.keys()].filter((path) => !wanted.has(path)),
    wrong,
  };
}

/** The sources of the core in a folder without their tests, with each string on one line. */
function coreSources(folder: string): string {
  const files = (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).filter((name) => name.endsWith('.rs'));
  return files.map((name) => readFileSync(join(ROOT, folder, name), 'utf8').split('#[cfg(test)]\nmod tests {')[0]).join('\n').replace(/\\\n\s*/g, '');
}

/** Where the sources write what is shown as it is: in which folder, within what, and after what its strings stand. */
const WRITTEN: [what: string, folder: string, within: RegExp, after: string][] = [
  ['notices', 'src/window', /[^]+/g, String.raw`(?:message:|message =|NoticeLevel::\w+,)`],
  ['notes on models', 'crates/neural/src/models/listing', /pub fn (?:purpose|licence|source)\(self\).*?\n {4}\}/gs, String.raw`=>(?: \{)?`],
  ['reasons and notes of comparisons', 'crates/analysis/src/compare', /[^]+/g, String.raw`(?:[mM]issing|Err|notes\.push)\((?:[^";]*,)?|const (?:REASON|INFINITE|SILENT_\w+|NO_\w+): &str =`],
];

/** What the sources write, with `{1}` for values. */
function writtenWords(): string[] {
  return WRITTEN.flatMap(([what, folder, within, after]) => {
    const string = new RegExp(String.raw`(?:${after})\s*(?:&?format!\(\s*)?"([^"]+)"`, 'g');
    const found = [...coreSources(folder).matchAll(within)].flatMap(([part]) => [...part.matchAll(string)].map((each) => each[1] ?? ''));
    if (found.length === 0) throw new Error(`no ${what} in ${folder}`);
    return found.map((each) => [...each.matchAll(/\{[^{}]*\}/g)].reduce((said, [value], at) => said.replace(value, `{${at + 1}}`), each));
  });
}

/** The work that is left in the words of the core. */
export function coreWork({ words, sentences }: CoreWords): Work {
  const shown = shownCoreWords();
  const known = new Set(shown.map((each) => each.english));
  const sources = ['src', 'crates'].map(coreSources).join('\n').replaceAll('_', ' ');
  // Values stand between the parts of a sentence, and sentences are put together with capitals and full stops.
  const isWritten = (part: string): boolean => [part, part.charAt(0).toLowerCase() + part.slice(1)].some((each) => sources.includes(each.replaceAll('_', ' ')));
  const parts = (sentence: string): string[] => sentence.split(/\{\d\}|[.:] /).map((part) => part.trim().replace(/[.:,]$/, '')).filter((part) => part.length > 2);
  const said = (english: string): boolean => known.has(english) || isWritten(english) || parts(english).every(isWritten);
  const numbers = (sentence: string): string => [...sentence.matchAll(/\{\d\}/g)].map(String).sort().join();
  return {
    missing: [
      ...new Set(shown.filter(({ english, context }) => words[`${context}|${english}`] === undefined && words[english] === undefined).map(({ english }) => english)),
      ...new Set(writtenWords().filter((english) => words[english] === undefined && sentences[english] === undefined)),
    ],
    stale: [
      ...Object.keys(words).filter((key) => !said(key.slice(key.indexOf('|') + 1))),
      ...Object.keys(sentences).filter((sentence) => !parts(sentence).every(isWritten)),
    ],
    wrong: Object.entries(sentences).flatMap(([english, translated]) => (numbers(english) === numbers(translated) ? [] : [`${english} has ${numbers(translated)} instead of ${numbers(english)}`])),
  };
}
