/** Lists of changes with what was deleted since: first the rows, then, from the change log, the ids of deleted records. D-21. */
import type { Tombstone } from '../../contract/operation.ts';
import { type DeletionQuery, readDeletions } from '../../domain/events/event-feed.ts';
import { invalidField } from '../../domain/kernel/errors.ts';
import type { PageQuery } from '../../domain/kernel/ports.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { decodeCursor, encodeCursor, readCursorSort } from './cursor.ts';
import { type ListPage, type RowOf, type TableName, checkNoPage, listPage, toCursorPagination } from './list-page.ts';
import { type ListParameters, subtractOverlap, toUtc } from './pagination.ts';

export interface DeletedParameters extends ListParameters {
  readonly include_deleted?: boolean;
}

interface Page<R> extends ListPage<R> {
  readonly deleted?: readonly Tombstone[];
}

/** The sort of cursors that continue with deleted records. */
const DELETED = 'deleted';
/** The position in the change log of a cursor that has not read it. */
const START = -1;

/** The event of a deletion, and the fields that select its rows. */
type Deletions = Pick<DeletionQuery, 'event' | 'where'>;

/** `listPage`, continued with the deletions if they are included. */
export async function listWithDeleted<T extends TableName>(
  tx: ReadTx,
  table: T,
  parameters: DeletedParameters,
  { page, ...deletions }: Deletions & { readonly page: PageQuery },
): Promise<Page<RowOf<T>>> {
  const { include_deleted: isIncluded, cursor, updated_since: since } = parameters;
  if (isIncluded !== true) return listPage(tx, table, parameters, page);
  if (since === undefined) throw invalidField('/updated_since', 'updated_since is required with include_deleted', 'required', 'query');
  if (cursor === undefined) throw invalidField('/cursor', 'cursor is required with include_deleted; empty to begin', 'required', 'query');
  if (readCursorSort(cursor) === DELETED) return listDeleted(tx, parameters, cursor, { ...deletions, since });
  const found = await listPage(tx, table, parameters, page);
  if (found.pagination.hasMore === true) return { ...found, deleted: [] };
  const next = encodeCursor({ sort: DELETED, values: [START], id: '' });
  return { rows: found.rows, pagination: toCursorPagination(parameters, next), deleted: [] };
}

async function listDeleted<R>(
  tx: ReadTx,
  parameters: DeletedParameters,
  cursor: string,
  { since, ...deletions }: Deletions & { readonly since: string },
): Promise<Page<R>> {
  checkNoPage(parameters);
  const [position] = decodeCursor(cursor, DELETED, ['number'])?.values ?? [];
  const { deleted, next } = await readDeletions(tx, {
    ...deletions,
    since: subtractOverlap(toUtc(since)),
    after: typeof position === 'number' && position >= 0 ? position : undefined,
    limit: parameters.page_size,
  });
  const nextCursor = next === undefined ? undefined : encodeCursor({ sort: DELETED, values: [next], id: '' });
  return { rows: [], pagination: toCursorPagination(parameters, nextCursor), deleted };
}
