import { afterEach, describe, expect, it } from 'vitest';
import { setDecimalMark } from '../src/lib/decimal';
import { formatQuantity, parseQuantity } from '../src/lib/quantity';
import { english } from '../src/text/catalogue';
import { effectInLanguage, said } from '../src/text/core-words';
import { askedLanguage, inLanguage, resolveLanguage, speak, spokenLanguage } from '../src/text/language';
import { fromWords, localise, wordsOf, type Words } from '../src/text/localise';
import { composed, message } from '../src/text/message';
import { pseudo, stretched } from '../src/text/pseudo';
import { EFFECTS } from './recorded';
import { catalogueWork, coreWordsIn, coreWork, languages, problemOf, wordsIn } from './translation-check';

afterEach(async () => {
  await speak('en');
});

describe('a message', () => {
  const found = message('{count, plural, one {# track} other {# tracks}} like {title}', (count: number, title: string) => ({ count, title }));

  it('says its values by the rules of its language', () => {
    expect(found(1, '“Blue”')).toBe('1 track like “Blue”');
    expect(found(12_345, 'it’s {odd} <b>')).toBe('12\u202f345 tracks like it’s {odd} <b>');
    expect(found(0, '')).toBe('0 tracks like ');
    const polish = found.in('{count, plural, one {# utwór} few {# utwory} many {# utworów} other {# utworu}} jak {title}', 'pl');
    expect([1, 3, 5, 22].map((count) => polish(count, 'x'))).toEqual(['1 utwór jak x', '3 utwory jak x', '5 utworów jak x', '22 utwory jak x']);
  });

  it('is the same function in a catalogue of another language, composed ones too', () => {
    const catalogue = { plain: 'Open', found, list: composed({ or: ' or ', all: message('All: {what}', (what: string) => ({ what })) }, (words) => (what: string[]) => words.all(what.join(words.or))), rows: [['Space', 'Plays']] };
    const words = { plain: 'Öffnen', list: { or: ' oder ', all: 'Alle: {what}' }, rows: [['Leertaste']] };
    const german = localise(catalogue, fromWords(words, 'de'));
    expect(german.plain).toBe('Öffnen');
    expect(german.list(['a', 'b'])).toBe('Alle: a oder b');
    expect(german.rows).toEqual([['Leertaste', 'Plays']]);
    expect(german.found(2, 'x'), 'what is missing stays English').toBe('2 tracks like x');
    expect(catalogue.list(['a', 'b']), 'the original is unchanged').toBe('All: a or b');
  });
});

describe.each(languages())('the translation %s', (language) => {
  it('says every word of the catalogue, and none besides', () => {
    expect(catalogueWork(wordsIn(language), language)).toEqual({ missing: [], stale: [], wrong: [] });
  });

  it('says every word of the effects, presets and columns, and none that the core no longer says', () => {
    expect(coreWork(coreWordsIn(language))).toEqual({ missing: [], stale: [], wrong: [] });
  });
});

describe('what a translator has to do', () => {
  it('is found', () => {
    const { details, ...rest } = wordsIn('de') as Record<string, Words>;
    expect(details).toBeDefined();
    expect(catalogueWork({ ...rest, detail: 'x' }, 'de')).toEqual({ missing: ['details = Details'], stale: ['detail'], wrong: [] });
    expect(problemOf('{name} of {count}', '{name}', 'de')).toMatch(/instead of \{count\}, \{name\}/);
    expect(problemOf('{n, plural, one {#} other {#}}', '{n, plural, other {#}}', 'de')).toMatch(/the language one,other/);
    expect(problemOf('{n, plural, one {#} other {#}}', '{n, plural, one {#} other {#}}', 'pl')).toMatch(/few,many,one,other/);
    expect(problemOf('{name}', '{name', 'de')).toMatch(/cannot be read/);
    const core = coreWordsIn('de');
    expect(coreWork({ words: { ...core.words, 'No such words anywhere.': 'x' }, sentences: core.sentences }).stale).toEqual(['No such words anywhere.']);
    const { Cutoff, ...fewer } = core.words;
    expect(Cutoff).toBe('Grenzfrequenz');
    expect(coreWork({ words: fewer, sentences: core.sentences }).missing).toEqual(['Cutoff']);
  });
});

describe('German', () => {
  it('is spoken when asked for', async () => {
    await speak('de');
    const text = inLanguage(english);
    expect(spokenLanguage()).toBe('de');
    expect(document.documentElement.lang).toBe('de');
    expect(text.menus.file).toBe('Datei');
    expect(text.tabs.all(1)).toBe('Ein offenes Dokument');
    expect(text.library.ofAll(3, 1200)).toBe('3 von 1\u202f200 Titeln');
    expect(text.effects.usedWith(['a', 'b'])).toBe('Wirkt mit a oder b.');
    expect(text.lanes.names('mid_side', 2)).toEqual(['M', 'S']);
    for (const menu of Object.keys(text.mnemonics) as (keyof typeof text.mnemonics)[]) expect(text.menus[menu].toUpperCase(), menu).toContain(text.mnemonics[menu]);
    expect(new Set(Object.values(text.mnemonics)).size).toBe(Object.keys(text.mnemonics).length);
  });

  it('writes a comma, and fields take both marks', async () => {
    await speak('de');
    expect(formatQuantity(1234, 'hz')).toBe('1,234 kHz');
    expect(formatQuantity(-3.5, 'dB')).toBe('−3,5 dB');
    for (const typed of ['1,234 kHz', '1.234 kHz']) expect(parseQuantity(typed, 'hz')).toBe(1234);
    setDecimalMark('.');
    expect(formatQuantity(1234, 'hz')).toBe('1.234 kHz');
  });

  it('says the words of the core', async () => {
    await speak('de');
    expect(said('Change cutoff of high-pass')).toBe('Hochpass: Grenzfrequenz ändern');
    expect(said('Change level of of normalise')).toBe('Normalisieren: Pegel von ändern');
    expect(said('Add my own label')).toBe('my own label hinzufügen');
    expect(said('measured 3.4 times as fast as the CPU for chunks of an export')).toBe('gemessen 3,4-mal so schnell wie CPU für die Abschnitte eines Exports');
    expect(said('Never heard of.')).toBe('Never heard of.');
    const lowpass = effectInLanguage(EFFECTS[0]!);
    expect([lowpass.name, lowpass.title, lowpass.parameters[0]?.title]).toEqual(['lowpass', 'Tiefpass', 'Grenzfrequenz']);
    expect(lowpass.documentation).toBe(EFFECTS[0]?.documentation);
    expect(said('First', 'swap.first')).toBe('Erster');
    expect(said('First', 'crossover.first')).toBe('Erste');
  });
});

describe('the pseudo-locale', () => {
  it('lengthens what is said and leaves values alone', () => {
    expect(stretched('Open…')).toBe('Öpéñlo…');
    expect(stretched('−3 … 12')).toBe('−3 … 12');
    const text = localise(english, pseudo);
    const plain = text.tabs.closeOthers('take.wav');
    expect(plain).toContain('take.wav');
    expect(plain).not.toContain('Close');
    expect(text.mnemonics).toEqual(english.mnemonics);
    for (const { english: before, isPattern, path } of wordsOf(english)) {
      if (isPattern || !/\p{L}{4}/u.test(before) || /^(mnemonics|keys|palette\.answers|library\.query\.examples)\b/.test(path.join('.'))) continue;
      expect(stretched(before).length, path.join('.')).toBeGreaterThanOrEqual(before.trim().length * 1.4);
    }
  });
});

describe('the language', () => {
  it('is the one that was set, or the system’s if the window has it', () => {
    expect(resolveLanguage('de', ['en-GB'])).toBe('de');
    expect(resolveLanguage('en', ['de-AT'])).toBe('en');
    expect(resolveLanguage('system', ['fr-FR', 'de_CH', 'en'])).toBe('de');
    expect(resolveLanguage('system', ['en-US', 'de'])).toBe('en');
    expect(resolveLanguage('system', ['ja'])).toBe('en');
    expect(askedLanguage('?language=qps-ploc')).toBe('qps-ploc');
    expect(askedLanguage('?language=xx')).toBe(null);
  });
});
