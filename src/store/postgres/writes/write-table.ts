/** The Store port's table for transactions. */
import {
  type CursorQuery,
  DuplicateKey,
  type PageQuery,
  type ReadTable,
  type Row,
  type Selection,
  type Table,
  type Value,
} from '../../../domain/kernel/ports.ts';
import { listRowsAfter, selectRows, sortRows } from './changed-query.ts';
import { getUniqueText } from './changed-rows.ts';
import { formatRevision } from '../heads.ts';
import type { CachedRow } from '../reads/partition-cache.ts';
import { toColumnValues } from '../table-columns.ts';
import type { Transaction } from './transaction.ts';
import type { GroupPartition } from './write-group.ts';

export function createWriteTable<R extends Row>(tx: Transaction, name: string): Table<R> {
  const partition = tx.getPartition(name);
  return { ...createLookUps<R>(tx, partition), ...createQueries<R>(tx, partition), ...createWrites<R>(tx, partition) };
}

type LookUps = 'get' | 'getMany' | 'listMissing' | 'findUnique' | 'findUniqueIds';

function createQueries<R extends Row>(tx: Transaction, partition: GroupPartition): Omit<ReadTable<R>, LookUps> {
  const { spec } = partition.table.columns;
  const toRows = (rows: readonly CachedRow[]): R[] => rows.map(({ row }) => row as R);
  /** Queries run in the database, which must have the changes. */
  async function prepareQuery({ search }: Selection): Promise<void> {
    await tx.sendChanges(partition);
    if (search?.or !== undefined) await tx.sendChanges(tx.getPartition(search.or.in.table));
  }
  async function listPage(query: PageQuery): Promise<{ rows: R[]; total: number }> {
    const newRows = tx.listNewRows(partition, query);
    if (newRows !== undefined) {
      const { number, size } = query.page;
      const sorted = sortRows(spec, newRows, query) as R[];
      return { rows: sorted.slice((number - 1) * size, number * size), total: sorted.length };
    }
    await prepareQuery(query);
    const { rows, total } = await partition.reader.listPage(query);
    return { rows: toRows(rows), total };
  }
  async function listAfter(query: CursorQuery): Promise<{ rows: R[]; more: boolean }> {
    const newRows = tx.listNewRows(partition, query);
    if (newRows !== undefined) return listRowsAfter(spec, newRows, query) as { rows: R[]; more: boolean };
    await prepareQuery(query);
    const { rows, more } = await partition.reader.listAfter(query);
    return { rows: toRows(rows), more };
  }

  return {
    listPage,
    listAfter,
    async listIdsAfter(query: CursorQuery) {
      const { rows, more } = await listAfter(query);
      return { ids: rows.map(({ id }) => id), more };
    },
    async count(selection: Selection = {}) {
      if (selection.where === undefined && selection.search === undefined) return tx.countRows(partition);
      const newRows = tx.listNewRows(partition, selection);
      if (newRows !== undefined) return selectRows(spec, newRows, selection).length;
      await prepareQuery(selection);
      return partition.reader.count(selection);
    },
    async countEach(filter, values) {
      await tx.sendChanges(partition);
      return partition.reader.countEach(filter, values);
    },
    // Unique, because the group may still fail and its revision be that of other rows.
    getRevision: async () => Promise.resolve(tx.isChanged(partition) ? Symbol(partition.name) : formatRevision(partition.reader.head)),
  };
}

function createLookUps<R extends Row>(tx: Transaction, partition: GroupPartition): Pick<ReadTable<R>, LookUps> {
  const toRow = (cached: CachedRow | undefined): R | undefined => cached?.row as R | undefined;
  return {
    get: async (id) => toRow(await tx.get(partition, id)),
    getMany: async (ids) => (await tx.getMany(partition, ids)).map(toRow),
    async findUnique(unique: string, ...values: Value[]) {
      const key = partition.reader.toUniqueText(unique, values);
      return key.text === undefined ? undefined : toRow(await tx.findUnique(partition, key.unique, key.text));
    },
    listMissing: (ids) => tx.listMissing(partition, ids),
    findUniqueIds(unique, values) {
      const keys = values.map((each) => partition.reader.toUniqueText(unique, each));
      return tx.findUniqueIds(partition, keys);
    },
  };
}

function createWrites<R extends Row>(tx: Transaction, partition: GroupPartition): Pick<Table<R>, 'put' | 'putMany' | 'remove'> {
  const { columns } = partition.table;
  /** The rows that have the unique values of a row, which replaces `current`. Values that stay the same need no look-up. */
  function findOwners(values: readonly unknown[], current: CachedRow | undefined): Promise<(CachedRow | undefined)[]> {
    const before = current && toColumnValues(columns, current.row, '');
    return Promise.all(
      columns.uniques.map(async (_, at) => {
        const text = getUniqueText(values, columns, at);
        return text === null || (before && getUniqueText(before, columns, at) === text) ? undefined : tx.findOwner(partition, at, text);
      }),
    );
  }

  /** `known`: the stored row, if it has been looked up. */
  async function change(row: R, known = tx.getKnown(partition, row.id)): Promise<void> {
    await tx.prepareChange(partition);
    const text = JSON.stringify(row);
    const values = toColumnValues(columns, row, text);
    // One round trip for everything that is not known.
    const [current, owners] = await Promise.all([known ? known.row : tx.get(partition, row.id), findOwners(values, known?.row)]);
    const taken = owners.findIndex((owner) => owner !== undefined && owner.id !== row.id);
    if (taken >= 0) throw new DuplicateKey(partition.name, columns.uniques[taken]!.name, owners[taken]!.id);
    tx.put(partition, row.id, text, values, current === undefined);
  }

  return {
    async put(row) {
      await change(row);
      await tx.sendMany(partition);
    },
    async putMany(rows) {
      await tx.prepareChange(partition);
      // Looked up together, so that `change` knows what it needs.
      const unknown = rows.map(({ id }) => id).filter((id) => tx.getKnown(partition, id) === undefined);
      const listTexts = (at: number) => rows.flatMap((row) => getUniqueText(toColumnValues(columns, row, ''), columns, at) ?? []);
      const lookUps = columns.uniques.map((_, at) => tx.lookUpOwners(partition, at, () => listTexts(at)));
      const [found] = await Promise.all([tx.getMany(partition, unknown), ...lookUps]);
      const stored = new Map(unknown.map((id, at) => [id, found[at]]));
      // What this transaction has changed meanwhile counts, such as a row that is twice among these.
      for (const row of rows) {
        await change(row, tx.getKnown(partition, row.id) ?? { row: stored.get(row.id) });
        await tx.sendMany(partition);
      }
    },
    async remove(id) {
      await tx.prepareChange(partition);
      const exists = (await tx.get(partition, id)) !== undefined;
      if (exists) tx.remove(partition, id);
      return exists;
    },
  };
}
