/**
 * A transaction: applies its changes in place, collects its journal record, and keeps an undo log for a rollback.
 *
 * Life cycle: running (it holds the mutex and sees its own writes) -> aborted (`abort` rolls its changes back), or committed (`finish`
 * returns its record, and later transactions see its changes) -> durable (the journal has synced the record; `discardUndoLog` releases the
 * previous versions), or rolled back after a failed write (`rollBack`), together with every commit after it. After a crash only complete
 * journal records are replayed, so a transaction is there entirely or not at all.
 */
import type { Commit, Row } from '../../../domain/kernel/ports.ts';
import type { RowAllocator, RowLocation } from '../rows/allocator.ts';
import type { Key } from '../../compare.ts';
import { extractKeys } from '../../table-layout.ts';
import type { Partition } from '../partition.ts';

/** One change with its undo information: the location of the previous version. */
class Change {
  readonly partition: Partition;
  readonly id: string;
  readonly before: RowLocation | undefined;
  /** Length of the row that was put; -1 for a removal. */
  readonly length: number;

  constructor(partition: Partition, id: string, before: RowLocation | undefined, length: number) {
    this.partition = partition;
    this.id = id;
    this.before = before;
    this.length = length;
  }

  get table(): string {
    return this.partition.layout.spec.name;
  }

  get added(): boolean {
    return this.before === undefined;
  }

  get removed(): boolean {
    return this.length < 0;
  }
}

/** A committed transaction that waits to become durable. */
export interface PendingCommit {
  readonly commit: Commit;
  /** The journal record. */
  readonly buffers: readonly Buffer[];
  readonly changeListBytes: number;
  readonly undoLog: readonly Change[];
}

export class Transaction {
  readonly tenant: string;
  readonly now: Date;
  readonly #allocator: RowAllocator;
  readonly #changes: Change[] = [];

  constructor(tenant: string, now: Date, allocator: RowAllocator) {
    this.tenant = tenant;
    this.now = now;
    this.#allocator = allocator;
  }

  /** Applies a change immediately: only this transaction is running, and it sees its own writes. */
  putRow(partition: Partition, id: string, json: string, keys: readonly Key[]): void {
    if (this.#changes.length === 0) this.#allocator.beginRecord();
    this.#applyPut(partition, id, this.#allocator.appendText(json), keys);
  }

  /** Puts several rows of a table without unique keys. */
  putMany(partition: Partition, rows: readonly Row[], texts: readonly string[]): void {
    if (this.#changes.length === 0) this.#allocator.beginRecord();
    const locations = this.#allocator.appendTexts(texts);
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      const location = locations === undefined ? this.#allocator.appendText(texts[at]!) : locations[at]!;
      this.#applyPut(partition, row.id, location, extractKeys(partition.layout, row));
    }
  }

  #applyPut(partition: Partition, id: string, location: RowLocation, keys: readonly Key[]): void {
    this.#changes.push(new Change(partition, id, partition.put(id, location, keys), location.length));
  }

  remove(partition: Partition, id: string): boolean {
    const before = partition.remove(id);
    if (before === undefined) return false;
    if (this.#changes.length === 0) this.#allocator.beginRecord();
    this.#changes.push(new Change(partition, id, before, -1));
    return true;
  }

  /** Rolls back all changes. */
  abort(): void {
    rollBack(this.#changes);
    for (const { partition } of this.#changes) partition.rollBackChangedSlots();
    if (this.#changes.length > 0) this.#allocator.abortRecord();
  }

  /** Completes the record; undefined when nothing changed. */
  finish(sequence: number): PendingCommit | undefined {
    const changes = this.#changes;
    if (changes.length === 0) return undefined;
    for (const { partition } of changes) partition.keepChangedSlots();
    const { length } = this.#allocator.appendText(formatChangeList(this.tenant, changes));
    return {
      commit: { tenant: this.tenant, sequence, changes },
      buffers: this.#allocator.endRecord(),
      changeListBytes: length,
      undoLog: changes,
    };
  }
}

/** The JSON of a `ChangeList`, concatenated by hand because it is written with every commit. */
function formatChangeList(tenant: string, changes: readonly Change[]): string {
  let entries = '';
  let last: Partition | undefined;
  for (const { partition, id, length } of changes) {
    if (partition !== last) entries += `${last === undefined ? '' : ','}${JSON.stringify(partition.layout.spec.name)}`;
    last = partition;
    entries += length < 0 ? `,${JSON.stringify([id])}` : `,${String(length)}`;
  }
  return `{"t":${JSON.stringify(tenant)},"c":[${entries}]}`;
}

/** Rolls back changes, last first. */
export function rollBack(changes: readonly Change[]): void {
  for (const { partition, id, before } of changes.toReversed()) {
    if (before === undefined) {
      const added = partition.remove(id);
      if (added) partition.releaseVersion(added);
      continue;
    }
    const replaced = partition.put(id, before, partition.readKeys(before));
    if (replaced) partition.releaseVersion(replaced);
    // `put` retained the version once more.
    partition.releaseVersion(before);
  }
}

/** Releases the previous versions of durable changes. */
export function discardUndoLog(changes: readonly Change[]): void {
  for (const { partition, before } of changes) if (before) partition.releaseVersion(before);
}
