/** The characters that the texts of a column have had: a text with any other is in none of them. */

/** All characters from here on are one. */
const OTHER = 128;

export class Letters {
  readonly #seen = new Uint8Array(OTHER + 1);

  add(text: string): void {
    const seen = this.#seen;
    for (let at = 0; at < text.length; at++) seen[Math.min(text.charCodeAt(at), OTHER)] = 1;
  }

  /** False when the text is in none that was added. */
  mayContain(text: string): boolean {
    const seen = this.#seen;
    for (let at = 0; at < text.length; at++) if (seen[Math.min(text.charCodeAt(at), OTHER)] === 0) return false;
    return true;
  }
}
