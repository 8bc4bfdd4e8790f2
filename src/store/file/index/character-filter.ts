/** The characters that have occurred in the texts of a column: a text with any other character is contained in none of them. */

/** All characters from here on count as one. */
const OTHER_CHARACTER = 128;

export class CharacterFilter {
  readonly #seen = new Uint8Array(OTHER_CHARACTER + 1);

  add(text: string): void {
    const seen = this.#seen;
    for (let at = 0; at < text.length; at++) seen[Math.min(text.charCodeAt(at), OTHER_CHARACTER)] = 1;
  }

  /** False when none of the added texts can contain this one. */
  mayContain(text: string): boolean {
    const seen = this.#seen;
    for (let at = 0; at < text.length; at++) if (seen[Math.min(text.charCodeAt(at), OTHER_CHARACTER)] === 0) return false;
    return true;
  }
}
