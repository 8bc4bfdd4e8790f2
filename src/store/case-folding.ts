/** Case folding, in one place, because unique keys, folded orders and search must agree on it. Search also ignores accents. */

// Text below U+0300 is already NFC, so most text skips normalization.
const MAY_NEED_NFC = /[^\0-\u02ff]/;

/** The text as it is compared when case is ignored. */
export function foldCase(text: string): string {
  return (MAY_NEED_NFC.test(text) ? text.normalize('NFC') : text).toLowerCase();
}
