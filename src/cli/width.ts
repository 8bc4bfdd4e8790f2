/** How many terminal columns a text takes, and cutting it to fit. */

/** Scripts and symbols that terminals draw two columns wide (Unicode East Asian Width W and F, and emoji). */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
/** Drawn on top of what stands before, or not at all. */
const ZERO = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;
const PLAIN = /^[\u0020-\u007e]*$/u;
const ELLIPSIS = '…';

let graphemes: Intl.Segmenter | undefined;

function* clusters(text: string): Generator<string> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) yield segment;
}

const clusterWidth = (cluster: string): number =>
  PLAIN.test(cluster) ? cluster.length : ZERO.test(cluster) ? 0 : WIDE.test(cluster) ? 2 : 1;

export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

/** The text in at most `width` columns, with an ellipsis where something was cut. */
export function fit(text: string, width: number): string {
  if (PLAIN.test(text) ? text.length <= width : widthOf(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const cluster of clusters(text)) {
    const next = used + clusterWidth(cluster);
    if (next > width - 1) break;
    used = next;
    kept += cluster;
  }
  return kept + ELLIPSIS;
}

export const pad = (text: string, width: number, right = false): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? space + text : text + space;
};

/**
 * Line breaks as spaces, control characters made harmless, and those that turn the direction of what follows, also beyond the record's
 * own end: a record must not be able to drive the reader's terminal, nor to rearrange what others say.
 */
export const visible = (text: string): string =>
  text.replaceAll(/[\t\n\r\u2028\u2029]+/gu, ' ').replaceAll(/[\p{Control}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

/** Lines of at most `width` columns, broken at spaces; a longer word, and what stands between backquotes, stays whole. */
export function wrap(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(/(?:`[^`]*`|[^ ])+/gu) ?? []) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
