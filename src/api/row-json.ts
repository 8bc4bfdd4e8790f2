/**
 * Rows of lists as cached JSON text. A row's own fields are rendered once per row, as a `View`. Fields that come from other tables follow
 * them, and are rendered again only when one of those tables has changed.
 */
import type { ReadTable, Row, View } from '../domain/kernel/ports.ts';
import { getDistinctIds } from '../domain/kernel/rows.ts';

/** Appends fields to the JSON of an object. `fieldsJson` is their JSON without the opening brace. */
export const appendFields = (ownJson: string, fieldsJson: string): string => `${ownJson.slice(0, -1)},${fieldsJson}`;

/** Of an object with a few fields, and the fields of its references. */
const ROW_JSON_BYTES = 400;
const STRING_BYTES = 32;

/** Approximate size in memory, for views. Texts with characters beyond Latin-1 take twice as much. */
export const measureText = (text: string): number => STRING_BYTES + text.length;
export const measureRowJson = ({ ownLength }: RowJson<unknown>): number => ROW_JSON_BYTES + ownLength;

/** The JSON of one row: its own fields, then those from the tables it references. */
export class RowJson<References> {
  /** The ids of the referenced rows, and whatever else is needed besides the text. */
  readonly references: References;
  /** Whether the row's own fields are the whole JSON, because it references nothing. */
  readonly isComplete: boolean;
  /** Length of the JSON of the row's own fields. */
  readonly ownLength: number;
  #text: string;
  #byteLength: number | undefined;
  /** The revisions of the referenced tables when their fields were appended. */
  #revisions: readonly unknown[] | undefined;

  /** `ownJson`: the row's own fields as a JSON object. */
  constructor(ownJson: string, references: References, isComplete = false) {
    this.references = references;
    this.isComplete = isComplete;
    this.#text = ownJson;
    this.ownLength = ownJson.length;
  }

  get text(): string {
    return this.#text;
  }

  /** In UTF-8. */
  get byteLength(): number {
    return (this.#byteLength ??= Buffer.byteLength(this.#text));
  }

  /** Whether the text still holds for these revisions of the referenced tables. */
  isCurrentFor(revisions: readonly unknown[]): boolean {
    if (this.isComplete) return true;
    const ownRevisions = this.#revisions;
    if (ownRevisions === undefined) return false;
    for (let index = 0; index < revisions.length; index += 1) if (ownRevisions[index] !== revisions[index]) return false;
    return true;
  }

  /** Replaces the fields that come from referenced tables. */
  setReferences(fieldsJson: string, revisions: readonly unknown[]): void {
    this.#text = appendFields(this.#text.slice(0, this.ownLength), fieldsJson);
    this.#byteLength = undefined;
    this.#revisions = revisions;
  }
}

/** Renders the fields from referenced tables as JSON without the opening brace. */
type RenderReferences<References> = (references: References) => string;

/**
 * Brings the referenced fields of rows up to date, rendering only those of rows whose referenced tables have changed. `load` reads what
 * these rows reference, all of them at once.
 */
export async function completeRows<References>(
  rows: readonly RowJson<References>[],
  referencedTables: readonly { getRevision: ReadTable<never>['getRevision'] }[],
  load: (references: readonly References[]) => Promise<RenderReferences<References>>,
): Promise<readonly RowJson<References>[]> {
  if (rows.every(({ isComplete }) => isComplete)) return rows;
  const revisions = await Promise.all(referencedTables.map((table) => table.getRevision()));
  const staleRows = rows.filter((row) => !row.isCurrentFor(revisions));
  if (staleRows.length === 0) return rows;
  const render = await load(staleRows.map(({ references }) => references));
  for (const row of staleRows) row.setReferences(render(row.references), revisions);
  return rows;
}

/** The views of the rows with these ids, by id. Ids without a row are missing. */
export async function getViewsById<R extends Row, V>(
  table: ReadTable<R>,
  view: View<R, V>,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, V>> {
  const distinctIds = getDistinctIds(ids);
  if (distinctIds.length === 0) return new Map();
  const views = await table.getManyViews(view, distinctIds);
  const byId = new Map<string | null, V>();
  for (const [index, id] of distinctIds.entries()) {
    const found = views[index];
    if (found !== undefined) byId.set(id, found);
  }
  return byId;
}
