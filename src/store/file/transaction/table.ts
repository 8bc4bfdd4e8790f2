/**
 * Implements the Store port's tables on top of partitions. All methods complete synchronously; they return promises for adapters that cannot.
 */
import type { ReadTable, Row, Selection, Table, Value } from '../../../domain/kernel/ports.ts';
import { foldCase } from '../../case-folding.ts';
import { extractKeys, toUniqueValue } from '../../table-layout.ts';
import { serializeRow } from '../rows/row-text.ts';
import type { Partition } from '../partition.ts';
import { countMatches, findAllMatches, queryPage, getRows, queryAfter } from '../query/run-query.ts';
import { answerSubquery } from '../query/subqueries.ts';
import type { Transaction } from './transaction.ts';

/** Of the tenant of the table, or of another one. */
type FindPartition = (table: string, tenant?: string) => Partition | undefined;

/**
 * Creates a tenant's table. `getTransaction` is called before every write and throws outside a transaction. `findPartition` returns the rows
 * of other tables for subqueries.
 */
export function createTable<R extends Row>(
  partition: Partition,
  getTransaction: () => Transaction,
  findPartition: FindPartition,
): Table<R> {
  const { layout } = partition;
  const put = (row: R): void => {
    const tx = getTransaction();
    const keys = extractKeys(layout, row);
    partition.uniqueIndexes.assertUnique(row.id, keys);
    tx.putRow(partition, row.id, serializeRow(layout, row), keys);
  };
  return {
    ...createReads<R>(partition, findPartition),
    async put(row) {
      put(row);
    },
    async putMany(rows, from) {
      const source = from === undefined ? undefined : findPartition(layout.spec.name, from);
      if (source && partition.isUnused && hasRows(source, rows)) getTransaction().copyRows(partition, source);
      else rows.forEach(put);
    },
    async remove(id) {
      return getTransaction().remove(partition, id);
    },
  };
}

/** Whether these are all its rows, as they are now. A row that is read again is the same object, unless it has changed or left the cache. */
const hasRows = (partition: Partition, rows: readonly Row[]): boolean =>
  rows.length === partition.size && rows.every((row) => partition.get(row.id) === row);

function createReads<R extends Row>(partition: Partition, findPartition: FindPartition): ReadTable<R> {
  const answer = <Q extends Selection>(query: Q) => answerSubquery(query, findPartition, findAllMatches);
  return {
    async get(id) {
      return partition.get(id) as R | undefined;
    },
    async getMany(ids) {
      return ids.map((id) => partition.get(id) as R | undefined);
    },
    async listMissing(ids) {
      return ids.filter((id) => partition.findSlot(id) === undefined);
    },
    async findUnique(unique: string, ...values: Value[]) {
      const slot = findUniqueSlot(partition, unique, values);
      return slot === undefined ? undefined : (partition.getRecord(slot) as R);
    },
    async findUniqueIds(unique, values) {
      const slots = values.map((each) => findUniqueSlot(partition, unique, each));
      return slots.map((slot) => (slot === undefined ? undefined : partition.getId(slot)));
    },
    async listPage(query) {
      const { slots, total } = queryPage(partition, answer(query));
      return { rows: getRows<R>(partition, slots), total };
    },
    async listAfter(query) {
      const { slots, more } = queryAfter(partition, answer(query));
      return { rows: getRows<R>(partition, slots), more };
    },
    async listIdsAfter(query) {
      const { slots, more } = queryAfter(partition, answer(query));
      return { ids: slots.map((slot) => partition.getId(slot)), more };
    },
    async count(selection = {}) {
      return countMatches(partition, answer(selection));
    },
    async countEach(field, values) {
      return values.map((equals) => countMatches(partition, { where: [{ field, equals }] }));
    },
    async getRevision() {
      return partition.version;
    },
  };
}

/** The slot of the row with this value of a unique key. */
function findUniqueSlot({ layout, uniqueIndexes }: Partition, unique: string, values: readonly Value[]): number | undefined {
  const at = layout.uniques.findIndex((each) => each.name === unique);
  if (at < 0) throw new Error(`table ${layout.spec.name} has no unique key ${unique}`);
  const { folded, columns } = layout.uniques[at]!;
  if (values.length !== columns.length) throw new Error(`unique key ${unique} of ${layout.spec.name} takes ${columns.length} values`);
  const value = toUniqueValue(
    values.map((each) => (typeof each === 'string' && folded ? foldCase(each) : each)),
    folded,
  );
  return value === undefined ? undefined : uniqueIndexes.findSlot(at, value);
}
