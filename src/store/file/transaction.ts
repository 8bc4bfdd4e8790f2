/** What one transaction has done so far: its journal record and the way back. */
import type { Commit, Row } from '../../domain/ports.ts';
import type { Arena, Place } from './arena.ts';
import type { Key } from './compare.ts';
import { keysOf } from './layout.ts';
import type { Partition } from './partition.ts';

/** One change, with the way back. */
class Change {
  readonly partition: Partition;
  readonly id: string;
  readonly before: Place | undefined;
  /** Of the row that was put; -1 for a removal. */
  readonly length: number;

  constructor(partition: Partition, id: string, before: Place | undefined, length: number) {
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

/** A transaction that has ended well and waits for its sync. */
export interface Pending {
  readonly commit: Commit;
  readonly pieces: readonly Buffer[];
  readonly directoryBytes: number;
  readonly undo: readonly Change[];
}

export class Transaction {
  readonly tenant: string;
  readonly #arena: Arena;
  readonly #changes: Change[] = [];

  constructor(tenant: string, arena: Arena) {
    this.tenant = tenant;
    this.#arena = arena;
  }

  /** The change is applied at once: only this transaction is running, and it sees its own writes. */
  put(partition: Partition, id: string, json: string, keys: readonly Key[]): void {
    if (this.#changes.length === 0) this.#arena.begin();
    this.#keep(partition, id, this.#arena.write(json), keys);
  }

  /** `put` of rows that cannot be refused. */
  putMany(partition: Partition, rows: readonly Row[], texts: readonly string[]): void {
    if (this.#changes.length === 0) this.#arena.begin();
    const places = this.#arena.writeMany(texts);
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      this.#keep(partition, row.id, places[at]!, keysOf(partition.layout, row));
    }
  }

  #keep(partition: Partition, id: string, place: Place, keys: readonly Key[]): void {
    this.#changes.push(new Change(partition, id, partition.put(id, place, keys), place.length));
  }

  remove(partition: Partition, id: string): boolean {
    const before = partition.remove(id);
    if (before === undefined) return false;
    if (this.#changes.length === 0) this.#arena.begin();
    this.#changes.push(new Change(partition, id, before, -1));
    return true;
  }

  /** Takes everything back. */
  abort(): void {
    undo(this.#changes);
    for (const { partition } of this.#changes) partition.takeMarksBack();
    if (this.#changes.length > 0) this.#arena.abort();
  }

  /** Ends the record; undefined when nothing was changed. */
  end(sequence: number): Pending | undefined {
    const changes = this.#changes;
    if (changes.length === 0) return undefined;
    for (const { partition } of changes) partition.keepMarks();
    const { length } = this.#arena.write(directoryText(this.tenant, changes));
    return { commit: { tenant: this.tenant, sequence, changes }, pieces: this.#arena.end(), directoryBytes: length, undo: changes };
  }
}

/** The JSON of a `Directory`, put together by hand: it is written with every commit. */
function directoryText(tenant: string, changes: readonly Change[]): string {
  let entries = '';
  let last: Partition | undefined;
  for (const { partition, id, length } of changes) {
    if (partition !== last) entries += `${last === undefined ? '' : ','}${JSON.stringify(partition.layout.spec.name)}`;
    last = partition;
    entries += length < 0 ? `,${JSON.stringify([id])}` : `,${String(length)}`;
  }
  return `{"t":${JSON.stringify(tenant)},"c":[${entries}]}`;
}

/** Takes changes back, the last first. */
export function undo(changes: readonly Change[]): void {
  for (const { partition, id, before } of changes.toReversed()) {
    if (before === undefined) {
      const added = partition.remove(id);
      if (added) partition.forget(added);
      continue;
    }
    const replaced = partition.put(id, before, partition.keysAt(before));
    if (replaced) partition.forget(replaced);
    // `put` took a use of its own.
    partition.forget(before);
  }
}

/** The way back is not needed any more. */
export function forget(changes: readonly Change[]): void {
  for (const { partition, before } of changes) if (before) partition.forget(before);
}
