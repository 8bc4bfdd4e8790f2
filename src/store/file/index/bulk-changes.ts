/**
 * Brings ordered indexes up to date after many changes: the changed slots are removed, sorted, and merged with the others in one pass, instead
 * of a binary search for each.
 */
import type { Column } from '../rows/column.ts';
import type { OrderLayout } from '../../table-layout.ts';
import { compareValues } from '../../compare.ts';
import type { Value } from '../../../domain/kernel/ports.ts';
import { BitSet } from './bit-set.ts';
import type { Compare, OrderedIndex } from './ordered-index.ts';

/** With more different keys, a sort by comparing is faster than one by groups. */
const MAX_GROUPS = 256;

export class BulkChanges {
  readonly #columns: readonly Column[];
  /** Slots whose row was added or removed. */
  readonly #rows = new BitSet(0);
  /** By column: slots whose key changed in an existing row. */
  readonly #values: (BitSet | undefined)[] = [];
  /** All of them that are in use, in the order of their ids. */
  #byId: Uint32Array | undefined;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  addRow(slot: number): void {
    this.#rows.add(slot);
  }

  addValues(slot: number, changed: readonly boolean[]): void {
    for (let column = 0; column < changed.length; column++) if (changed[column]) (this.#values[column] ??= new BitSet(slot)).add(slot);
  }

  /** Completes an index that lacks these changes. `slots` are those in use. */
  complete(index: OrderedIndex, { steps }: OrderLayout, slots: Uint32Array): void {
    const sets = [this.#rows, ...steps.flatMap(({ column }) => this.#values[column] ?? [])];
    const isChanged = (slot: number): boolean => sets.some((set) => set.has(slot));
    const all = index.toArray();
    const unchanged = all.filter((slot) => !isChanged(slot));
    const changed = this.#sortById(slots).filter(isChanged);
    if (changed.length === 0 && unchanged.length === all.length) return;
    index.replaceAll(merge(unchanged, sortSlots(changed, steps, this.#columns), index.compare));
  }

  #sortById(slots: Uint32Array): Uint32Array {
    const sets = [this.#rows, ...this.#values.filter((set) => set !== undefined)];
    this.#byId ??= sortBy(
      slots.filter((slot) => sets.some((set) => set.has(slot))),
      this.#columns[0]!,
      1,
    );
    return this.#byId;
  }
}

/** Sorts slots by an order. */
export const sortByOrder = (slots: Uint32Array, { steps }: OrderLayout, columns: readonly Column[]): Uint32Array =>
  sortSlots(sortBy(slots, columns[0]!, 1), steps, columns);

/** Sorts slots that are in the order of their ids by the steps of an order. */
function sortSlots(slots: Uint32Array, steps: OrderLayout['steps'], columns: readonly Column[]): Uint32Array {
  // Each sort is stable, so the first step has the last word.
  return steps.reduceRight((sorted, { column, descending }) => sortBy(sorted, columns[column]!, descending ? -1 : 1), slots);
}

/** A stable sort by one column. */
function sortBy(slots: Uint32Array, column: Column, sign: 1 | -1): Uint32Array {
  const groups = groupByKey(slots, column);
  // An array rather than the typed array, because its sort is fast when most slots are in order already.
  if (groups === undefined) return Uint32Array.from(Array.from(slots).sort((a, b) => column.compare(a, b) * sign));
  const sorted = new Uint32Array(slots.length);
  let at = 0;
  for (const [, group] of [...groups].sort(([a], [b]) => compareValues(a, b) * sign)) {
    sorted.set(group, at);
    at += group.length;
  }
  return sorted;
}

/** The slots of each key; undefined when there are many different keys. */
function groupByKey(slots: Uint32Array, column: Column): Map<Value, number[]> | undefined {
  const groups = new Map<Value, number[]>();
  for (const slot of slots) {
    const key = column.get(slot);
    // Arrays are equal in every order.
    const value = typeof key === 'object' ? null : key;
    const group = groups.get(value);
    if (group !== undefined) group.push(slot);
    else if (groups.size === MAX_GROUPS) return undefined;
    else groups.set(value, [slot]);
  }
  return groups;
}

/** Merges two lists in the same order. The first is searched in growing steps, because few changes are usual. */
function merge(list: Uint32Array, added: Uint32Array, compare: Compare): Uint32Array {
  if (list.length === 0) return added;
  const merged = new Uint32Array(list.length + added.length);
  let from = 0;
  for (let each = 0; each < added.length; each++) {
    const slot = added[each]!;
    let step = 1;
    while (from + step <= list.length && compare(list[from + step - 1]!, slot) < 0) step *= 2;
    let [low, high] = [from + (step >>> 1), Math.min(from + step - 1, list.length)];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(list[middle]!, slot) < 0) low = middle + 1;
      else high = middle;
    }
    merged.set(list.subarray(from, low), from + each);
    merged[low + each] = slot;
    from = low;
  }
  merged.set(list.subarray(from), from + added.length);
  return merged;
}
