/** Texts as they are stored: without surrounding blanks. */
import { invalidField } from './errors.ts';

/** Blank and null count as absent (D-19). */
export function blankToNull(value: string | null): string | null {
  const text = value?.trim() ?? '';
  return text === '' ? null : text;
}

/** A text that must say something; `path` names it in the error. */
export function requiredText(value: string, path: string): string {
  const text = value.trim();
  if (text === '') throw invalidField(path, `${path.slice(1)} must not be blank`, 'empty');
  return text;
}

/** Text as it is searched and sorted without regard to case; the store compares in the same way. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();
