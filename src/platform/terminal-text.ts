/**
 * Makes text from other programs safe to print. Otherwise a record, an error or a log line could control the terminal or rearrange the
 * text around it.
 */

/** Control characters, lone surrogates, and overrides and isolates of the text direction. */
const UNSAFE = String.raw`\p{Control}\p{Surrogate}\u202a-\u202e\u2066-\u2069`;
const REPLACEMENT = '\ufffd';

const PRINTABLE_ASCII = /^[\u0020-\u007e]*$/u;
const PRINTABLE_LINES = /^[\n\u0020-\u007e]*$/u;
const LINE_BREAKS = /[\t\n\r\u2028\u2029]+/gu;
const UNSAFE_CHARACTER = new RegExp(`[${UNSAFE}]`, 'gu');
/**
 * Besides unsafe characters: the styles of `cli/output/style.ts` and of the dashboard's `view/colors.ts`, which are kept, and the line
 * breaks of CSV.
 */
const UNSAFE_IN_OUTPUT = new RegExp(String.raw`\u001b\[(?:1|2|22|7|27|3[1236]|38;5;(?:28|130|196)|39)m|\r?\n|\t|[${UNSAFE}]`, 'gu');
const UNSAFE_IN_DATA = new RegExp(String.raw`\r?\n|\t|[${UNSAFE}]`, 'gu');
const UNSAFE_IN_JSON = new RegExp(String.raw`(?!\n)[${UNSAFE}]`, 'gu');

/** Makes one line of a text: replaces line breaks and tabs by spaces, and unsafe characters by U+FFFD. */
export const sanitize = (text: string): string =>
  PRINTABLE_ASCII.test(text) ? text : text.replaceAll(LINE_BREAKS, ' ').replaceAll(UNSAFE_CHARACTER, REPLACEMENT);

/** Replaces unsafe characters in lines that may be styled. */
export const sanitizeOutput = (text: string): string =>
  PRINTABLE_LINES.test(text)
    ? text
    : text.replaceAll(UNSAFE_IN_OUTPUT, (found) => (found.length > 1 || found === '\n' || found === '\t' ? found : REPLACEMENT));

/** Replaces unsafe characters in lines of data, in which every style is one of the data. */
export const sanitizeData = (text: string): string =>
  PRINTABLE_LINES.test(text)
    ? text
    : text.replaceAll(UNSAFE_IN_DATA, (found) => (found.length > 1 || found === '\n' || found === '\t' ? found : REPLACEMENT));

/** Escapes unsafe characters in JSON, or in YAML with the same escapes, which keeps all values. */
export const escapeJson = (text: string): string =>
  PRINTABLE_LINES.test(text)
    ? text
    : text.replaceAll(UNSAFE_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Whether a text is one line without unsafe characters. */
export const isSafe = (text: string): boolean => sanitize(text) === text;
