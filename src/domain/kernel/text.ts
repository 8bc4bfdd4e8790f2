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

/** The form of text that case-insensitive sorting and unique keys compare. `search` also ignores accents. The store folds in the same way. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();
