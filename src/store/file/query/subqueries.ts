/**
 * Answers the subquery of a search before the query runs. Everything else in this folder works on the ids that it found, so a cached result
 * of the query is of the same ids.
 */
import { foldForSearch } from '../../../contract/search-text.ts';
import type * as port from '../../../domain/kernel/ports.ts';
import type { Partition } from '../partition.ts';

/** A search whose alternative names the values themselves. */
export interface Search {
  readonly text: string;
  readonly or?: { readonly field: string; readonly in: readonly port.Value[] };
}

type WithSearch<Q extends port.Selection> = Omit<Q, 'search'> & { readonly search?: Search };
export type Selection = WithSearch<port.Selection>;
export type Query = WithSearch<port.Query>;
export type PageQuery = WithSearch<port.PageQuery>;
export type CursorQuery = WithSearch<port.CursorQuery>;

/** The slots of all rows that match a selection, in no particular order. */
type FindMatches = (partition: Partition, selection: Selection) => readonly number[];

/** The query with the ids that its subquery finds. `findPartition` returns the rows of another table of the same tenant. */
export function answerSubquery<Q extends port.Selection>(
  query: Q,
  findPartition: (table: string) => Partition | undefined,
  findMatches: FindMatches,
): WithSearch<Q> {
  const { search } = query;
  // Without a subquery, both types are the same.
  if (search?.or === undefined) return query as unknown as WithSearch<Q>;
  const { table, field, search: text } = search.or.in;
  const partition = findPartition(table);
  if (partition === undefined) throw new Error(`there is no table ${table}`);
  const ids = findIds(partition, field, text, findMatches);
  return { ...query, search: { text: search.text, or: { field: search.or.field, in: ids } } };
}

/** The ids of the rows whose field contains the text. The search finds it in any field, so its result is filtered. */
function findIds(partition: Partition, field: string, text: string, findMatches: FindMatches): string[] {
  const { layout, searchIndex } = partition;
  const column = layout.searchColumns.findIndex((each) => layout.columns[each]!.field === field);
  if (column < 0) throw new Error(`table ${layout.spec.name} does not search ${field}`);
  const folded = foldForSearch(text);
  const ids: string[] = [];
  for (const slot of findMatches(partition, { search: { text } }))
    if (searchIndex.columnContains(column, slot, folded)) ids.push(partition.getId(slot));
  return ids;
}
