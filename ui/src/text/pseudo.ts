// A language that nobody speaks: English with accents, 40 % longer. It shows which words are not in the catalogue and where
// a translation would not fit.

import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import type { Translator } from './localise';

const PLAIN = 'aceginosuyAEIOUNSCDG';
const ACCENTED = 'åçéĝîñöšûýÅÉÎÖÛÑŠÇĎĜ';
const accent = (letter: string): string => ACCENTED[PLAIN.indexOf(letter)] ?? letter;

const FILLING = 'lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam nonumy eirmod tempor';

/** So many letters, which break where words do if there are enough for a word. */
function filling(length: number): string {
  if (length < 5) return FILLING.slice(0, length);
  const words = FILLING.repeat(Math.ceil(length / FILLING.length)).slice(0, length - 1);
  return ` ${[...words.replace(/ $/, 'o')].map(accent).join('')}`;
}

/** A text with accents, lengthened by 40 %; space and signs at its ends stay there. */
export function stretched(text: string): string {
  if (!/\p{L}/u.test(text)) return text;
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
  const [, said = '', end = ''] = /^(.*?)([….:!?,;]*)$/su.exec([...words].map(accent).join('')) ?? [];
  return `${before}${said}${filling(Math.ceil(words.length * 0.4))}${end}${after}`;
}

function stretch(elements: MessageFormatElement[]): MessageFormatElement[] {
  return elements.map((element): MessageFormatElement => {
    if (element.type === TYPE.literal) return { ...element, value: stretched(element.value) };
    if (element.type !== TYPE.plural && element.type !== TYPE.select) return element;
    const options = Object.fromEntries(Object.entries(element.options).map(([name, option]) => [name, { ...option, value: stretch(option.value) }]));
    return { ...element, options } as MessageFormatElement;
  });
}

// Letters that open menus, words that are searched for but not shown, and keys, which are engraved.
const KEPT = [/^mnemonics\./, /^palette\.answers\..*\.words$/, /^keys\./, /^query\.examples\.\d+\.1\.\d+\.0$/];

export const pseudo: Translator = {
  locale: 'en',
  plain: (path, english) => (KEPT.some((kept) => kept.test(path.join('.'))) ? null : stretched(english)),
  pattern: (_path, english) => stretch(parse(english, { ignoreTag: true })),
};
