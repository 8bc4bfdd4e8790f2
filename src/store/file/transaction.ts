/** What one transaction has done so far: its journal record and the way back. */
import type { Commit } from '../../domain/ports.ts';
import type { Arena } from './arena.ts';
import type { Key } from './compare.ts';
import type { Before, Partition } from './partition.ts';
import type { DirectoryEntry } from './records.ts';

interface Undo {
  readonly partition: Partition;
  readonly id: string;
  readonly before: Before | undefined;
}

/** A transaction that has ended well and waits for its sync. */
export interface Pending {
  readonly commit: Commit;
  readonly pieces: readonly Buffer[];
  readonly directoryBytes: number;
  readonly undo: readonly Undo[];
}

export class Transaction {
  readonly tenant: string;
  readonly #arena: Arena;
  readonly #directory: DirectoryEntry[] = [];
  readonly #undo: Undo[] = [];

  constructor(tenant: string, arena: Arena) {
    this.tenant = tenant;
    this.#arena = arena;
  }

  /** The change is applied at once: only this transaction is running, and it sees its own writes. */
  put(partition: Partition, id: string, json: string, keys: readonly Key[]): void {
    if (this.#undo.length === 0) this.#arena.begin();
    const place = this.#arena.write(json);
    this.#directory.push([partition.layout.spec.name, id, place.length]);
    this.#undo.push({ partition, id, before: partition.put(id, place, keys) });
  }

  remove(partition: Partition, id: string): boolean {
    const before = partition.remove(id);
    if (before === undefined) return false;
    if (this.#undo.length === 0) this.#arena.begin();
    this.#directory.push([partition.layout.spec.name, id]);
    this.#undo.push({ partition, id, before });
    return true;
  }

  /** Takes everything back. */
  abort(): void {
    undo(this.#undo);
    if (this.#undo.length > 0) this.#arena.abort();
  }

  /** Ends the record; undefined when nothing was changed. */
  end(sequence: number): Pending | undefined {
    if (this.#undo.length === 0) return undefined;
    const { length } = this.#arena.write(JSON.stringify({ t: this.tenant, c: this.#directory }));
    const changes = this.#directory.map(([table, id, bytes]) => ({ table, id, removed: bytes === undefined }));
    return { commit: { tenant: this.tenant, sequence, changes }, pieces: this.#arena.end(), directoryBytes: length, undo: this.#undo };
  }
}

/** Takes changes back, the last first. */
export function undo(changes: readonly Undo[]): void {
  for (const { partition, id, before } of changes.toReversed()) {
    if (before === undefined) {
      const added = partition.remove(id);
      if (added) partition.forget(added);
      continue;
    }
    const replaced = partition.put(id, before.place, before.keys);
    if (replaced) partition.forget(replaced);
    // `put` took a use of its own.
    partition.forget(before);
  }
}

/** The way back is not needed any more. */
export function forget(changes: readonly Undo[]): void {
  for (const { partition, before } of changes) if (before) partition.forget(before);
}
