/** The one place where text loses its case: unique keys, folded orders and search must agree about it. */

// Everything below U+0300 is already NFC, so most text skips the slow part.
const BEYOND_NFC = /[^\0-\u02ff]/;

/** Text as it is compared without regard to case. */
export function fold(text: string): string {
  return (BEYOND_NFC.test(text) ? text.normalize('NFC') : text).toLowerCase();
}
