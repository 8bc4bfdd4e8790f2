/**
 * One transaction of the Store port within a group: its changes and what its tables return.
 *
 * States
 *   in memory  its changes are known to nobody else: an error discards them
 *   sent       a query needed to see some of them, or they were many: an error returns to the savepoint before, and to the locks of that time
 */
import type { Commit, NewId, Row, Selection } from '../../../domain/kernel/ports.ts';
import { type ChangedRow, ChangedRows, createPutRow, createRemovedRow, findChangedByUnique } from './changed-rows.ts';
import { SERVICE } from '../heads.ts';
import type { CachedRow } from '../reads/partition-cache.ts';
import { encodeText } from '../sort-keys.ts';
import type { UniqueText } from '../reads/partition-reader.ts';
import type { GroupPartition, WriteGroup } from './write-group.ts';

const UUID_LENGTH = 36;

/** So many changed rows of a table are sent while the transaction continues, so that the server works at the same time. */
const ROWS_SENT_TOGETHER = 100;

/** The server may be so many of them behind, which keeps it busy while the transaction works, and the transaction while the server does. */
const MAX_SENDING = 8;

/** The changes of the transaction in one table. */
interface OwnChanges {
  readonly changed: ChangedRows;
  /** Those that have not been sent. */
  unsent: ChangedRows;
  /** Rows added minus rows removed. */
  added: number;
}

type TransactionState = { readonly name: 'in memory' } | { readonly name: 'sent'; readonly hadServiceLock: boolean };

export class Transaction {
  readonly now: Date;
  readonly newId: NewId;
  readonly #group: WriteGroup;
  readonly #own = new Map<GroupPartition, OwnChanges>();
  readonly #used = new Set<GroupPartition>();
  readonly #newIds = new Set<string>();
  readonly #changes: Commit['changes'][number][] = [];
  readonly #mayDeferChecks: boolean;
  #state: TransactionState = { name: 'in memory' };
  /** The changes that were sent last because they were many. */
  readonly #sending: Promise<unknown>[] = [];
  /** Whether some row was stored without looking up who has its unique values: the commit checks them. */
  hasDeferredChecks = false;

  constructor(group: WriteGroup, mayDeferChecks: boolean) {
    this.#group = group;
    this.#mayDeferChecks = mayDeferChecks;
    this.now = group.takeNow();
    this.newId = () => {
      const id = group.options.newId();
      this.#newIds.add(id);
      return id;
    };
  }

  getPartition(table: string): GroupPartition {
    const partition = this.#group.getPartition(table);
    this.#used.add(partition);
    return partition;
  }

  /** The latest version of a row: changed by this transaction or an earlier one of the group, or stored. */
  async get(partition: GroupPartition, id: string): Promise<CachedRow | undefined> {
    const known = this.getKnown(partition, id);
    return known === undefined ? partition.reader.get(id) : known.row;
  }

  async getMany(partition: GroupPartition, ids: readonly string[]): Promise<(CachedRow | undefined)[]> {
    const known = ids.map((id) => this.getKnown(partition, id));
    const stored = await partition.reader.getMany(ids.filter((_, at) => known[at] === undefined));
    let next = 0;
    return known.map((each) => (each === undefined ? stored[next++] : each.row));
  }

  async listMissing(partition: GroupPartition, ids: readonly string[]): Promise<string[]> {
    const changed = ids.map((id) => this.#getChanged(partition, id));
    const missing = new Set(await partition.reader.listMissing(ids.filter((_, at) => changed[at] === undefined)));
    return ids.filter((id, at) => (changed[at] === undefined ? missing.has(id) : changed[at].cached === undefined));
  }

  async findUniqueIds(partition: GroupPartition, keys: readonly UniqueText[]): Promise<(string | undefined)[]> {
    const stored = await partition.reader.findUniqueIds(keys);
    return keys.map(({ unique, text }, at) => {
      if (text === undefined) return undefined;
      const id = stored[at];
      const isCurrent = id !== undefined && this.#getChanged(partition, id) === undefined;
      return this.#findChanged(partition, unique, text)?.id ?? (isCurrent ? id : undefined);
    });
  }

  async findUnique(partition: GroupPartition, unique: number, text: string): Promise<CachedRow | undefined> {
    return this.#findChanged(partition, unique, text) ?? this.#omitChanged(partition, await partition.reader.findUnique(unique, text));
  }

  /** The row that has a unique value which another is about to get. If that needs a look-up, it may be left to the commit. */
  async findOwner(partition: GroupPartition, unique: number, text: string): Promise<CachedRow | undefined> {
    const known = partition.reader.getKnownOwner(unique, text);
    if (known === undefined && !this.#mayDeferChecks) return this.findUnique(partition, unique, text);
    const changed = this.#findChanged(partition, unique, text);
    if (changed !== undefined) return changed;
    this.hasDeferredChecks ||= known === undefined;
    return this.#omitChanged(partition, known?.row);
  }

  /** Before many rows are stored: looks up who has their unique values, unless that is left to the commit. */
  async lookUpOwners(partition: GroupPartition, unique: number, listTexts: () => readonly string[]): Promise<void> {
    if (!this.#mayDeferChecks) await partition.reader.lookUpUnique(unique, listTexts());
  }

  /** What is known of a row without a round trip; undefined when nothing is. */
  getKnown(partition: GroupPartition, id: string): { readonly row: CachedRow | undefined } | undefined {
    const changed = this.#getChanged(partition, id);
    if (changed !== undefined) return { row: changed.cached };
    // Neither is a row stored whose id begins with a new one, such as that of a link to a new row.
    const isNew = this.#newIds.has(id) || this.#newIds.has(id.slice(0, UUID_LENGTH));
    return isNew ? { row: undefined } : partition.reader.getKnown(id);
  }

  /**
   * All rows that a selection can find, when the database has none of them, because a condition names an id that this transaction has made;
   * else undefined.
   */
  listNewRows(partition: GroupPartition, { where = [], search }: Selection): Row[] | undefined {
    const condition = where.find((each) => 'equals' in each && this.#newIds.has(String(each.equals)));
    if (search !== undefined || condition === undefined || !('equals' in condition)) return undefined;
    const { keys, layout } = partition.table.columns;
    const column = layout.fields.get(condition.field)?.exact;
    // An array has many values, and is not indexed.
    const isIndexed = column !== undefined && keys[column]!.type === 'text';
    const list = (changed: ChangedRows | undefined): readonly ChangedRow[] =>
      isIndexed ? (changed?.findByColumn(column, encodeText(String(condition.equals))) ?? []) : [...(changed?.values() ?? [])];
    const rows = [...list(this.#own.get(partition)?.changed), ...list(partition.changed)];
    return rows.filter((row) => this.#getChanged(partition, row.id) === row).flatMap(({ cached }) => cached?.row ?? []);
  }

  /** Before a change of a table of the service: locks its head. */
  async prepareChange(partition: GroupPartition): Promise<void> {
    if (partition.owner === SERVICE) await this.#group.lockService(this.#used);
  }

  put(partition: GroupPartition, id: string, text: string, values: readonly unknown[], isAdded: boolean): void {
    // The database may have a row that was removed before, and an earlier version that was sent.
    const isNew = isAdded ? this.#getChanged(partition, id) === undefined : this.#own.get(partition)?.unsent.get(id)?.isNew === true;
    this.#change(partition, createPutRow(id, text, values, isNew), isAdded ? 1 : 0);
    this.#changes.push({ table: partition.name, id, added: isAdded, removed: false });
  }

  remove(partition: GroupPartition, id: string): void {
    this.#change(partition, createRemovedRow(id), -1);
    this.#changes.push({ table: partition.name, id, added: false, removed: true });
  }

  countRows(partition: GroupPartition): number {
    return partition.rows + (this.#own.get(partition)?.added ?? 0);
  }

  isChanged(partition: GroupPartition): boolean {
    return partition.changed.size > 0 || this.#own.has(partition);
  }

  /** Sends the changes of a table, so that a query sees them. */
  async sendChanges(partition: GroupPartition): Promise<void> {
    await Promise.all(this.#send(partition));
  }

  /**
   * Sends the changes of a table when they are many. Does not wait for them, except when the server is far behind: an error fails the group at
   * its next statement.
   */
  async sendMany(partition: GroupPartition): Promise<void> {
    const unsent = this.#own.get(partition)?.unsent.size ?? 0;
    if (unsent < ROWS_SENT_TOGETHER) return;
    const sending = Promise.all(this.#send(partition));
    sending.catch(() => undefined);
    this.#sending.push(sending);
    if (this.#sending.length > MAX_SENDING) await this.#sending.shift();
  }

  /** All statements are sent before the first result arrives, so that nothing of the transaction can change between them. */
  #send(partition: GroupPartition): Promise<unknown>[] {
    const own = this.#own.get(partition);
    if ((own === undefined || own.unsent.size === 0) && partition.unsent.size === 0) return [];
    const sent: Promise<unknown>[] = [];
    // Earlier transactions first: what is sent after the savepoint is lost when this one fails.
    if (this.#state.name === 'in memory') {
      sent.push(...this.#group.sendUnsent());
      this.#state = { name: 'sent', hadServiceLock: this.#group.isServiceLocked };
      sent.push(this.#group.connection.execute('SAVEPOINT transaction'));
    }
    if (own === undefined || own.unsent.size === 0) return sent;
    const unsent = own.unsent;
    own.unsent = new ChangedRows();
    this.#group.markSent(partition);
    return [...sent, ...this.#group.sendRunning(partition, unsent.values())];
  }

  /** Adds the changes to the group. False when there are none. */
  finish(): boolean {
    for (const [partition, { changed, unsent, added }] of this.#own) {
      for (const [id, row] of changed) partition.changed.set(id, row);
      for (const [id, row] of unsent) partition.unsent.set(id, row);
      partition.rows += added;
    }
    // Sent with the next statement; an error also rejects that.
    if (this.#state.name === 'sent') void this.#group.connection.execute('RELEASE SAVEPOINT transaction').catch(() => undefined);
    if (this.#changes.length === 0) return false;
    this.#group.addCommit(this.#changes);
    return true;
  }

  /** Discards the changes. */
  async rollBack(): Promise<void> {
    const changed = [...this.#own.keys()];
    this.#own.clear();
    if (this.#state.name === 'in memory') return;
    await this.#group.connection.execute('ROLLBACK TO SAVEPOINT transaction; RELEASE SAVEPOINT transaction');
    // Their readers may have looked up what was rolled back.
    for (const partition of changed) if (partition.isSent) this.#group.markSent(partition);
    if (!this.#state.hadServiceLock && this.#group.isServiceLocked) this.#group.releaseServiceLock();
  }

  /** A row that this transaction or an earlier one of the group has given a unique value. */
  #findChanged(partition: GroupPartition, unique: number, text: string): CachedRow | undefined {
    for (const changed of [this.#own.get(partition)?.changed, partition.changed]) {
      const row = changed && findChangedByUnique(changed, partition.table.columns, unique, text);
      // A version that this transaction has replaced does not count.
      if (row !== undefined && this.#getChanged(partition, row.id) === row) return row.cached;
    }
    return undefined;
  }

  /** A stored row that has not changed since. */
  #omitChanged(partition: GroupPartition, stored: CachedRow | undefined): CachedRow | undefined {
    return stored === undefined || this.#getChanged(partition, stored.id) !== undefined ? undefined : stored;
  }

  #getChanged(partition: GroupPartition, id: string): ChangedRow | undefined {
    return this.#own.get(partition)?.changed.get(id) ?? partition.changed.get(id);
  }

  #change(partition: GroupPartition, row: ChangedRow, added: number): void {
    let own = this.#own.get(partition);
    if (own === undefined) this.#own.set(partition, (own = { changed: new ChangedRows(), unsent: new ChangedRows(), added: 0 }));
    own.changed.set(row.id, row);
    own.unsent.set(row.id, row);
    own.added += added;
  }
}
