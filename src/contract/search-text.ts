/** How `search` compares texts: without case and accents (D-21). Unique keys and sorting do not use this. */

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Accents: combining marks of no particular script. Vowel signs of one script are letters, and so are the two marks that turn a kana into
 * another one.
 */
const ACCENTS = /[[\p{Mn}&&\p{Script=Inherited}]--[\u3099\u309a]]/gv;

/** Letters that Unicode does not decompose, but which many keyboards lack. The last one is a sigma at the end of a word. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
};
const SPECIAL_LETTERS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'gu');

/** Removes accents from a text whose case is folded. A text of nothing but accents is returned unchanged. */
export function foldAccents(folded: string): string {
  if (!NOT_ASCII.test(folded)) return folded;
  const letters = folded.normalize('NFD').replaceAll(ACCENTS, '');
  if (letters === '') return folded;
  return letters.replaceAll(SPECIAL_LETTERS, (letter) => PLAIN_LETTERS[letter] ?? letter).normalize('NFC');
}

/** The text as `search` compares it. */
export const foldForSearch = (text: string): string => foldAccents(text.normalize('NFC').toLowerCase());
