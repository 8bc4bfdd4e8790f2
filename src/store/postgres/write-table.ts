/** The Store port's table for transactions. */
import {
  type CursorQuery,
  DuplicateKey,
  type PageQuery,
  type Row,
  type Selection,
  type Table,
  type Value,
  type View,
} from '../../domain/kernel/ports.ts';
import { getUniqueText } from './changed-rows.ts';
import type { CachedRow } from './partition-cache.ts';
import { toColumnValues } from './table-columns.ts';
import type { Transaction } from './transaction.ts';

export function createWriteTable<R extends Row>(tx: Transaction, name: string): Table<R> {
  const partition = tx.getPartition(name);
  const { columns } = partition.table;
  const toRow = (cached: CachedRow | undefined): R | undefined => cached?.row as R | undefined;
  const toRows = (rows: readonly CachedRow[]): R[] => rows.map(({ row }) => row as R);
  /** Queries run in the database, which must have the changes. */
  async function prepareQuery({ search }: Selection): Promise<void> {
    await tx.sendChanges(partition);
    if (search?.or !== undefined) await tx.sendChanges(tx.getPartition(search.or.in.table));
  }

  /** Rejects a row with the unique value of another one. `current`: the version that it replaces. */
  async function assertUnique(id: string, values: readonly unknown[], current: CachedRow | undefined): Promise<void> {
    const before = current && toColumnValues(columns, current.row, '');
    const checks = columns.uniques.map(async (unique, at) => {
      const text = getUniqueText(values, columns, at);
      if (text === null || (before && getUniqueText(before, columns, at) === text)) return;
      const owner = await tx.findUnique(partition, at, text);
      if (owner !== undefined && owner.id !== id) throw new DuplicateKey(name, unique.name, owner.id);
    });
    // All are sent before the first fails; the error is that of the first key.
    for (const result of await Promise.allSettled(checks)) if (result.status === 'rejected') throw result.reason;
  }

  async function put(row: R): Promise<void> {
    await tx.prepareChange(partition);
    const text = JSON.stringify(row);
    const values = toColumnValues(columns, row, text);
    const [exists] = await tx.exists(partition, [row.id]);
    if (columns.uniques.length > 0) await assertUnique(row.id, values, exists ? await tx.get(partition, row.id) : undefined);
    tx.put(partition, row.id, text, values, !exists);
  }

  return {
    get: async (id) => toRow(await tx.get(partition, id)),
    getMany: async (ids) => (await tx.getMany(partition, ids)).map(toRow),
    async findUnique(unique: string, ...values: Value[]) {
      const key = partition.reader.toUniqueText(unique, values);
      return key.text === undefined ? undefined : toRow(await tx.findUnique(partition, key.unique, key.text));
    },
    async listPage(query: PageQuery) {
      await prepareQuery(query);
      const { rows, total } = await partition.reader.listPage(query);
      return { rows: toRows(rows), total };
    },
    async listAfter(query: CursorQuery) {
      await prepareQuery(query);
      const { rows, more } = await partition.reader.listAfter(query);
      return { rows: toRows(rows), more };
    },
    async listIdsAfter(query: CursorQuery) {
      await prepareQuery(query);
      const { rows, more } = await partition.reader.listAfter(query);
      return { ids: rows.map(({ id }) => id), more };
    },
    async count(selection: Selection = {}) {
      if (selection.where === undefined && selection.search === undefined) return tx.countRows(partition);
      await prepareQuery(selection);
      return partition.reader.count(selection);
    },
    getView: async <V>(view: View<R, V>, id: string) => (await tx.get(partition, id))?.getView(view),
    async listViewPage<V>(view: View<R, V>, query: PageQuery) {
      await prepareQuery(query);
      const { rows, total } = await partition.reader.listPage(query);
      return { rows: rows.map((row) => row.getView(view)), total };
    },
    // Unique, because the group may still fail and its revision be that of other rows.
    getRevision: async () => Promise.resolve(tx.isChanged(partition) ? Symbol(name) : partition.reader.head.revision),
    put,
    async putMany(rows) {
      if (columns.uniques.length > 0) {
        for (const row of rows) await put(row);
        return;
      }
      await tx.prepareChange(partition);
      const existing = await tx.exists(
        partition,
        rows.map(({ id }) => id),
      );
      const added = new Set<string>();
      for (const [at, row] of rows.entries()) {
        const text = JSON.stringify(row);
        tx.put(partition, row.id, text, toColumnValues(columns, row, text), existing[at] !== true && !added.has(row.id));
        added.add(row.id);
      }
    },
    async remove(id) {
      await tx.prepareChange(partition);
      const [exists] = await tx.exists(partition, [id]);
      if (exists === true) tx.remove(partition, id);
      return exists === true;
    },
  };
}
