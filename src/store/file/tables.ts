/** The port's tables over partitions. Everything answers at once; the promises are for adapters that must ask elsewhere. */
import type { AfterQuery, PageQuery, Row, Selection, Table, Value, View } from '../../domain/ports.ts';
import { fold } from './fold.ts';
import { keysOf, textOf, uniqueValue } from './layout.ts';
import type { Partition } from './partition.ts';
import { countOf, pageOf, rowsOf, slotsAfter } from './query.ts';
import type { Transaction } from './transaction.ts';

/** What a named query answers, remembered until the table changes. */
function named<R extends Row>(partition: Partition, name: string, query: AfterQuery): { rows: R[]; more: boolean } {
  if (partition.named.version !== partition.version) partition.named = { version: partition.version, answers: new Map() };
  const { answers } = partition.named;
  let answer = answers.get(name);
  if (answer === undefined) answers.set(name, (answer = after(partition, query)));
  // The list is the caller's own, the rows are frozen.
  return { rows: [...answer.rows] as R[], more: answer.more };
}

function after<R extends Row>(partition: Partition, query: AfterQuery): { rows: R[]; more: boolean } {
  const { slots, more } = slotsAfter(partition, query);
  return { rows: rowsOf<R>(partition, slots), more };
}

/** A table of one tenant. `transaction` is asked before every write: outside of one it throws. */
export function tableOf<R extends Row>(partition: Partition, transaction: () => Transaction): Table<R> {
  const { layout } = partition;
  const put = (row: R): void => {
    const tx = transaction();
    const keys = keysOf(layout, row);
    partition.uniques.check(row.id, keys);
    tx.put(partition, row.id, textOf(layout, row), keys);
  };
  const record = (slot: number | undefined): R | undefined => (slot === undefined ? undefined : (partition.record(slot) as R));
  return {
    async get(id) {
      return partition.get(id) as R | undefined;
    },
    async getMany(ids) {
      return ids.map((id) => partition.get(id) as R | undefined);
    },
    async find(unique: string, ...values: Value[]) {
      const at = layout.uniques.findIndex((each) => each.name === unique);
      if (at < 0) throw new Error(`table ${layout.spec.name} has no unique key ${unique}`);
      const { folded } = layout.uniques[at]!;
      if (values.length !== layout.uniques[at]!.columns.length)
        throw new Error(`unique key ${unique} of ${layout.spec.name} takes ${layout.uniques[at]!.columns.length} values`);
      const value = uniqueValue(
        values.map((each) => (typeof each === 'string' && folded ? fold(each) : each)),
        folded,
      );
      return value === undefined ? undefined : record(partition.uniques.slotWith(at, value));
    },
    async page(query: PageQuery) {
      const { slots, total } = pageOf(partition, query);
      return { rows: rowsOf<R>(partition, slots), total };
    },
    async after(query: AfterQuery) {
      return query.name === undefined ? after<R>(partition, query) : named<R>(partition, query.name, query);
    },
    async idsAfter(query: AfterQuery) {
      const { slots, more } = slotsAfter(partition, query);
      return { ids: slots.map((slot) => partition.id(slot)), more };
    },
    async count(selection: Selection = {}) {
      return countOf(partition, selection);
    },
    async getView<V>(view: View<R, V>, id: string) {
      const slot = partition.slotOf(id);
      return slot === undefined ? undefined : partition.view(view, slot);
    },
    async pageView<V>(view: View<R, V>, query: PageQuery) {
      const { slots, total } = pageOf(partition, query);
      return { rows: slots.map((slot) => partition.view(view, slot)), total };
    },
    async revision() {
      return partition.version;
    },
    async put(row) {
      put(row);
    },
    async putMany(rows) {
      if (rows.length < 2 || layout.uniques.length > 0) rows.forEach(put);
      else
        transaction().putMany(
          partition,
          rows,
          rows.map((row) => textOf(layout, row)),
        );
    },
    async remove(id) {
      return transaction().remove(partition, id);
    },
  };
}
