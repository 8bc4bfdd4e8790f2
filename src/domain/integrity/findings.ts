/** The findings of a check: how many things it checked, and the problems. */

/** One entry per checked thing: its problem as a sentence, or undefined. */
export type Problems = (string | undefined)[];

/** The findings of one check in one tenant. */
export interface Finding {
  readonly name: string;
  /** How many rows or values were checked. */
  readonly checkedCount: number;
  /** The first `MAX_LISTED_PROBLEMS` problems, as sentences. */
  readonly problems: readonly string[];
  readonly unlistedCount: number;
}

/** Further problems are only counted. */
export const MAX_LISTED_PROBLEMS = 5;

/** Collects the findings of a check. */
export class Findings {
  readonly name: string;
  #checkedCount = 0;
  #unlistedCount = 0;
  readonly #problems: string[] = [];
  constructor(name: string) {
    this.name = name;
  }
  /** Counts one checked thing, with its problem if it has one. */
  record(problem: string | undefined): void {
    this.#checkedCount += 1;
    if (problem === undefined) return;
    if (this.#problems.length < MAX_LISTED_PROBLEMS) this.#problems.push(problem);
    else this.#unlistedCount += 1;
  }
  toFinding(): Finding {
    return { name: this.name, checkedCount: this.#checkedCount, problems: this.#problems, unlistedCount: this.#unlistedCount };
  }
}
