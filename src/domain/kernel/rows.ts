/** Reading rows by their ids. */

/** The rows with these ids, by id. Ids without a row, null and undefined are missing. */
export async function getRowsById<R extends { readonly id: string }>(
  table: { getMany(ids: readonly string[]): Promise<(R | undefined)[]> },
  ids: readonly (string | null | undefined)[],
): Promise<Map<string, R>> {
  const distinctIds = getDistinctIds(ids);
  if (distinctIds.length === 0) return new Map();
  const rows = (await table.getMany(distinctIds)).filter((row) => row !== undefined);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The rows that `rows` reference by `getId`, by id. */
export const getReferencedRows = <R extends { readonly id: string }, S>(
  table: { getMany(ids: readonly string[]): Promise<(R | undefined)[]> },
  rows: readonly S[],
  getId: (row: S) => string | null | undefined,
): Promise<Map<string, R>> => getRowsById(table, rows.map(getId));

/** Each id once, without null and undefined. */
export const getDistinctIds = (ids: readonly (string | null | undefined)[]): string[] => [
  ...new Set(ids.filter((id) => typeof id === 'string')),
];
