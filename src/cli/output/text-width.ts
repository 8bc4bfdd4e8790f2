/** Measures, truncates, pads and wraps text by its width in terminal columns. */

/** Characters that take two columns (Unicode East Asian Width W and F, and emoji). */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
/** Characters that take no column: combining marks and invisible characters. */
const ZERO = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;
const PRINTABLE_ASCII = /^[\u0020-\u007e]*$/u;
const ELLIPSIS = '…';

let graphemes: Intl.Segmenter | undefined;

function* splitGraphemes(text: string): Generator<string> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) yield segment;
}

const getGraphemeWidth = (cluster: string): number =>
  PRINTABLE_ASCII.test(cluster) ? cluster.length : ZERO.test(cluster) ? 0 : WIDE.test(cluster) ? 2 : 1;

export function measureWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const cluster of splitGraphemes(text)) width += getGraphemeWidth(cluster);
  return width;
}

/** Shortens a text to `width` columns, with an ellipsis at the end. */
export function truncate(text: string, width: number): string {
  if (PRINTABLE_ASCII.test(text) ? text.length <= width : measureWidth(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const cluster of splitGraphemes(text)) {
    const next = used + getGraphemeWidth(cluster);
    if (next > width - 1) break;
    used = next;
    kept += cluster;
  }
  return kept + ELLIPSIS;
}

/** How much of a URL is kept before the ellipsis: its host says more than its path. */
const URL_HEAD_SHARE = 2 / 3;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/u;
/** Fewer characters of an id would not distinguish it. */
const MIN_ID_LENGTH = 6;

/**
 * Shortens a URL in the middle, where it says least; an id at its start, because ids created at the same time begin alike; any other text at
 * the end.
 */
export function truncateCell(text: string, width: number): string {
  const excess = measureWidth(text) - width;
  if (excess <= 0) return text;
  // Characters of a URL are one column wide.
  if (/^https?:\/\/[\u0021-\u007e]+$/u.test(text) && width >= 3) {
    const head = Math.floor((width - 1) * URL_HEAD_SHARE);
    return `${text.slice(0, head)}${ELLIPSIS}${text.slice(text.length - (width - 1 - head))}`;
  }
  const id = UUID.exec(text)?.[0] ?? '';
  const kept = id.length - excess - 1;
  return kept < MIN_ID_LENGTH ? truncate(text, width) : text.replace(id, ELLIPSIS + id.slice(-kept));
}

export const pad = (text: string, width: number, right = false): string => {
  const space = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return right ? space + text : text + space;
};

/** A word that is a command. */
const QUOTED = /^`([^`]*)`\.?$/u;

/**
 * Breaks a text at spaces into lines of at most `width` columns. Longer words and text in backticks are not broken; a command that
 * fits into a line only without its backticks loses them, because the terminal would put the last one on a line of its own.
 */
export function wrapText(text: string, width: number): readonly string[] {
  if (measureWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const typed of text.match(/(?:`[^`]*`|[^ ])+/gu) ?? []) {
    const command = QUOTED.exec(typed)?.[1];
    const word = command !== undefined && measureWidth(typed) > width && measureWidth(command) <= width ? command : typed;
    if (line !== '' && measureWidth(line) + 1 + measureWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
