/** What a check has found: how much it looked at, and what is wrong with it. */

/** What one check found in one tenant. */
export interface Finding {
  readonly name: string;
  /** How many things were looked at. */
  readonly looked: number;
  /** Sentences, the first few; `more` counts the others. */
  readonly problems: readonly string[];
  readonly more: number;
}

/** Problems told in words; of the others only the number. */
export const TOLD = 5;

/** Collects what a check finds. */
export class Findings {
  readonly name: string;
  #looked = 0;
  #more = 0;
  readonly #problems: string[] = [];
  constructor(name: string) {
    this.name = name;
  }
  look(problem: string | undefined): void {
    this.#looked += 1;
    if (problem === undefined) return;
    if (this.#problems.length < TOLD) this.#problems.push(problem);
    else this.#more += 1;
  }
  done(): Finding {
    return { name: this.name, looked: this.#looked, problems: this.#problems, more: this.#more };
  }
}
