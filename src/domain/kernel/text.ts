/** Text as it is stored: without surrounding blanks. */
import { invalidField } from './errors.ts';

/** The trimmed text; null for blank text (D-19). */
export function blankToNull(value: string | null): string | null {
  const text = value?.trim() ?? '';
  return text === '' ? null : text;
}

/** The trimmed text. Throws 400 for `path` if it is blank. */
export function requireText(value: string, path: string): string {
  const text = value.trim();
  if (text === '') throw invalidField(path, `${path.slice(1)} must not be blank`, 'empty');
  return text;
}

// Text below U+0300 is already NFC, so most text skips normalization.
const MAY_NEED_NFC = /[^\0-\u02ff]/;

/** The form of text that case-insensitive sorting and unique keys compare. `search` also ignores accents. */
export function foldCase(text: string): string {
  if (!MAY_NEED_NFC.test(text)) return text.toLowerCase();
  // `toLowerCase` writes a sigma at the end of a word in another way, so equal texts would differ by what follows.
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}
