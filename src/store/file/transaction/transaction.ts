/**
 * A transaction: applies its changes in place, collects its journal record, and keeps an undo log for a rollback.
 *
 * Life cycle: running (it holds the mutex and sees its own writes) -> aborted (`abort` rolls its changes back), or committed (`finish`
 * returns its record, and later transactions see its changes) -> durable (the journal has synced the record; `discardUndoLog` releases the
 * previous versions), or rolled back after a failed write (`rollBack`), together with every commit after it. After a crash only complete
 * journal records are replayed, so a transaction is there entirely or not at all.
 */
import type { Commit } from '../../../domain/kernel/ports.ts';
import type { RowAllocator } from '../rows/allocator.ts';
import type { RowLocation } from '../rows/slabs.ts';
import type { Key } from '../../compare.ts';
import type { Partition } from '../partition.ts';

/** One change with its undo information: the location of the previous version. */
type Change = Commit['changes'][number] & {
  readonly id: string;
  readonly partition: Partition;
  readonly before: RowLocation | undefined;
  /** Length of the row that was put. */
  readonly length: number;
};

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
    const location = this.#allocator.appendText(json);
    this.#addChange(partition, id, partition.put(id, location, keys), location.length);
  }

  /** Copies all rows of another tenant. The journal gets their bytes once more. */
  copyRows(partition: Partition, source: Partition): void {
    if (this.#changes.length === 0) this.#allocator.beginRecord();
    partition.copyRows(source);
    for (const slot of partition.listSlots()) {
      const location = partition.locations.get(slot);
      this.#allocator.appendStored(location);
      this.#addChange(partition, partition.getId(slot), undefined, location.length);
    }
  }

  remove(partition: Partition, id: string): boolean {
    const before = partition.remove(id);
    if (before === undefined) return false;
    if (this.#changes.length === 0) this.#allocator.beginRecord();
    this.#addChange(partition, id, before, 0);
    return true;
  }

  #addChange(partition: Partition, id: string, before: RowLocation | undefined, length: number): void {
    this.#changes.push({
      table: partition.layout.spec.name,
      id,
      added: before === undefined,
      removed: length === 0,
      partition,
      before,
      length,
    });
  }

  /** Rolls back all changes. */
  abort(): void {
    rollBack(this.#changes);
    if (this.#changes.length > 0) this.#allocator.abortRecord();
  }

  /** Completes the record; undefined when nothing changed. */
  finish(sequence: number): PendingCommit | undefined {
    const changes = this.#changes;
    if (changes.length === 0) return undefined;
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
  for (const { partition, table, id, removed, length } of changes) {
    if (partition !== last) entries += `${last === undefined ? '' : ','}${JSON.stringify(table)}`;
    last = partition;
    entries += removed ? `,${JSON.stringify([id])}` : `,${String(length)}`;
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
