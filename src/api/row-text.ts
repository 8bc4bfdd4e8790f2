/**
 * The rows of lists as JSON text. What a row says of itself is made once per row, as a `View`; what it says of rows of other tables
 * stands behind that, and is made again only when one of those tables has changed.
 */
import type { ReadTable } from '../domain/ports.ts';

/** The JSON of an object with further fields: their JSON, without the brace that opens it. */
export const followed = (own: string, rest: string): string => `${own.slice(0, -1)},${rest}`;

export class RowText<About> {
  /** What is needed besides the text: references to other tables, a version. */
  readonly about: About;
  /** Whether it refers to nothing. */
  readonly isWhole: boolean;
  readonly #ownLength: number;
  #text: string;
  #bytes: number | undefined;
  /** Of the other tables, when the text was completed. */
  #revisions: readonly unknown[] | undefined;

  /** `own`: the JSON of what the wire form has of the row itself, which may be all of it. */
  constructor(own: string, about: About, isWhole = false) {
    this.about = about;
    this.isWhole = isWhole;
    this.#text = own;
    this.#ownLength = own.length;
  }

  get text(): string {
    return this.#text;
  }

  /** Its length in UTF-8. */
  get bytes(): number {
    return (this.#bytes ??= Buffer.byteLength(this.#text));
  }

  isGoodAt(revisions: readonly unknown[]): boolean {
    if (this.isWhole) return true;
    const mine = this.#revisions;
    if (mine === undefined) return false;
    for (let at = 0; at < revisions.length; at += 1) if (mine[at] !== revisions[at]) return false;
    return true;
  }

  /** Puts fields behind those of the row itself, as `followed` does. */
  complete(rest: string, revisions: readonly unknown[]): void {
    this.#text = followed(this.#text.slice(0, this.#ownLength), rest);
    this.#bytes = undefined;
    this.#revisions = revisions;
  }
}

/** Completes texts by what `others`, the tables that they refer to, have now; `restOf` is asked where that has changed. */
export async function completed<About>(
  rows: readonly RowText<About>[],
  others: readonly { revision: ReadTable<never>['revision'] }[],
  restOf: (about: About) => Promise<string>,
): Promise<readonly RowText<About>[]> {
  const revisions: unknown[] = [];
  for (const table of others) revisions.push(await table.revision());
  for (const row of rows) if (!row.isGoodAt(revisions)) row.complete(await restOf(row.about), revisions);
  return rows;
}
