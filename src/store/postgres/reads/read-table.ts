/** The Store port's table for reads. */
import type { CursorQuery, PageQuery, ReadTable, Row, Selection, Value } from '../../../domain/kernel/ports.ts';
import { formatRevision } from '../heads.ts';
import type { CachedRow } from './partition-cache.ts';
import type { PartitionReader } from './partition-reader.ts';

export function createReadTable<R extends Row>(reader: PartitionReader): ReadTable<R> {
  const toRow = (cached: CachedRow | undefined): R | undefined => cached?.row as R | undefined;
  const toRows = (rows: readonly CachedRow[]): R[] => rows.map(({ row }) => row as R);
  return {
    get: async (id) => toRow(await reader.get(id)),
    getMany: async (ids) => (await reader.getMany(ids)).map(toRow),
    async findUnique(name: string, ...values: Value[]) {
      const { unique, text } = reader.toUniqueText(name, values);
      return text === undefined ? undefined : toRow(await reader.findUnique(unique, text));
    },
    listMissing: (ids) => reader.listMissing(ids),
    findUniqueIds: (name, values) => reader.findUniqueIds(values.map((each) => reader.toUniqueText(name, each))),
    async listPage(query: PageQuery) {
      const { rows, total } = await reader.listPage(query);
      return { rows: toRows(rows), total };
    },
    async listAfter(query: CursorQuery) {
      const { rows, more } = await reader.listAfter(query);
      return { rows: toRows(rows), more };
    },
    async listIdsAfter(query: CursorQuery) {
      const { rows, more } = await reader.listAfter(query);
      return { ids: rows.map(({ id }) => id), more };
    },
    count: (selection: Selection = {}) => reader.count(selection),
    countEach: (filter, values) => reader.countEach(filter, values),
    getRevision: async () => Promise.resolve(formatRevision(reader.head)),
  };
}
