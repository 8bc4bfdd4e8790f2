/**
 * Which characters a text may have. Terminals execute control characters, bidirectional overrides make a text look like another one, and
 * lone surrogates cannot be written as UTF-8.
 */

/** In the notation of a character class: C0 without tab, line feed and carriage return, DEL and C1, directional overrides, lone surrogates. */
const FORBIDDEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff';

/** A single line. */
export const ONE_LINE = `^[^${FORBIDDEN}\\t\\n\\r\\u2028\\u2029]*$`;
/** Any number of lines. A carriage return only ends a line together with a line feed. */
export const MULTIPLE_LINES = `^(?:[^${FORBIDDEN}\\r]|\\r\\n)*$`;
/** A part of a pattern: one or more characters that are no white space. */
export const NO_SPACES = `[^\\s${FORBIDDEN}]+`;

/** Names the first character that `pattern` forbids, if it is one of the above. */
export function describeForbiddenCharacter(text: string, pattern: string | undefined): string | undefined {
  if (pattern !== ONE_LINE && pattern !== MULTIPLE_LINES) return undefined;
  const allowed = new RegExp(pattern, 'u');
  let position = 0;
  // A line feed may follow a carriage return, which is then a character like any other.
  for (const character of text.replaceAll('\r\n', pattern === MULTIPLE_LINES ? '\n\n' : '\r\n')) {
    position += 1;
    if (!allowed.test(character)) return `character ${String(position)} is ${formatCodePoint(character)}`;
  }
  return undefined;
}

const formatCodePoint = (character: string): string => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
