/**
 * Notifies the daemons of a database of each other's commits.
 *
 * After its commits, a daemon sends notifications (NOTIFY), outside of transactions, because a transaction with a notification takes a lock
 * of the whole database. They name the changed rows, or only the tables when there are too many. Notifications can be lost with the
 * connection; so every second each daemon also compares the heads that have changed, and reports what it had not heard of without ids. A
 * daemon that could not do that for a while compares all heads.
 */
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Commit } from '../../domain/kernel/ports.ts';
import { type Database, defineStatement } from './database.ts';
import { type Head, SERVICE, readAllHeads, readHeads, readRecentHeads } from './heads.ts';
import type { GroupResult } from './write-group.ts';

const CHANNEL = 'stockroom_commits';
/** PostgreSQL allows 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
/** Heads are compared if they changed within this time. */
const RECENT_SECONDS = 15;
/** After a longer time without a comparison, all heads are compared: in it, a commit may have become older than that. */
const MAX_COMPARISON_GAP_MS = 5_000;
/** The notification of a younger commit may still arrive. */
const GRACE_SECONDS = 0.25;
const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

const NOTIFY = defineStatement(`SELECT pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) AS payload`);

export interface NotificationsOptions {
  readonly database: Database;
  readonly listenUrl: string;
  /** Identifies this daemon. */
  readonly writer: string;
  readonly pollMs: number;
  /** Called with the commits of other daemons. */
  readonly onCommit: (commit: Commit) => void;
  readonly onNotice: (message: string, cause?: unknown) => void;
  /** Called after each poll: with the error when the database did not answer. */
  readonly onPolled: (error?: unknown) => void;
}

/**
 * `w` writer, `t` tenant, `s` sequence, `v` sequence of the service if the commit changed its tables, `c` changes: table, id and what
 * happened to the row. Without `c`, the tables are read from the head.
 */
interface Payload {
  readonly w: string;
  readonly t: string;
  readonly s: number;
  readonly v?: number;
  readonly c?: readonly (readonly [table: string, id: string, kind: '+' | '~' | '-'])[];
}

export class Notifications {
  readonly #options: NotificationsOptions;
  /** Of each tenant, the last commit that was reported, and the head as read then or before. */
  readonly #known = new Map<string, { readonly sequence: number; readonly head: Head | undefined }>();
  #client: pg.Client | undefined;
  /** Payloads. */
  #unsent: string[] = [];
  #isSending = false;
  #isClosed = false;
  #comparedAt = performance.now();
  readonly #abort = new AbortController();
  #loops: Promise<unknown> | undefined;

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    for (const head of await readAllHeads(this.#options.database)) this.#remember(head);
    // The first commit of another daemon should not be found by polling only because this one was not listening yet.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#loops = Promise.all([this.#listen(resolve), this.#poll()]);
    await promise;
  }

  /** Announces commits of this daemon. Those of one turn of the event loop travel together. */
  publish({ commits, before, after, serviceBefore, serviceAfter }: GroupResult): void {
    if (commits.length === 0) return;
    // Commits of others before these, of which no notification came yet.
    this.#reportUpTo(before);
    this.#remember(after);
    if (serviceAfter !== serviceBefore && after.tenant !== SERVICE) {
      this.#reportUpTo(serviceBefore);
      this.#remember(serviceAfter);
    }
    const service = serviceAfter === serviceBefore ? {} : { v: serviceAfter.sequence };
    this.#unsent.push(...commits.map((commit, at) => this.#format(commit, at === commits.length - 1 ? service : {})));
    this.#scheduleSend();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#abort.abort();
    await this.#client?.end().catch(() => undefined);
    await this.#loops;
  }

  /** Never rejects: without a notification, others learn of the commits by polling. */
  async #send(): Promise<void> {
    const payloads = this.#unsent;
    this.#unsent = [];
    try {
      await this.#options.database.query(NOTIFY, [payloads]);
    } catch {
      // See above.
    }
    this.#isSending = false;
    this.#scheduleSend();
  }

  #scheduleSend(): void {
    if (this.#isSending || this.#unsent.length === 0) return;
    this.#isSending = true;
    setImmediate(() => void this.#send());
  }

  #format({ tenant, sequence, changes }: Commit, service: { readonly v?: number }): string {
    const about = { w: this.#options.writer, t: tenant, s: sequence, ...service };
    const c = changes.map(({ table, id, added, removed }) => [table, id!, removed ? '-' : added ? '+' : '~'] as const);
    const whole = JSON.stringify({ ...about, c } satisfies Payload);
    return Buffer.byteLength(whole) <= MAX_PAYLOAD_BYTES ? whole : JSON.stringify(about satisfies Payload);
  }

  /** Listens until closed, with a new connection after each that was lost. `onAttempt` is called when the first attempt to connect has ended. */
  async #listen(onAttempt: () => void): Promise<void> {
    let isReported = false;
    while (!this.#isClosed) {
      const client = new pg.Client({
        connectionString: this.#options.listenUrl,
        application_name: 'stockroom listen',
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
      });
      const ended = new Promise<void>((resolve) => {
        client.once('end', resolve);
        client.on('error', () => undefined);
      });
      client.on('notification', ({ payload = '' }) => void this.#receive(payload));
      try {
        await client.connect();
        await client.query(`LISTEN ${CHANNEL}`);
        onAttempt();
        if (this.#isClosed) return;
        this.#client = client;
        if (isReported) this.#options.onNotice('notifications of other daemons arrive again');
        isReported = false;
        // What was committed while nobody listened.
        await this.#compareHeads();
        await ended;
      } catch (error) {
        if (!isReported && !this.#isClosed)
          this.#options.onNotice('no notifications of other daemons; their commits are found by polling', error);
        isReported = true;
      } finally {
        onAttempt();
        this.#client = undefined;
        await client.end().catch(() => undefined);
      }
      if (!this.#isClosed) await setTimeout(RECONNECT_MS, undefined, { signal: this.#abort.signal, ref: false }).catch(() => undefined);
    }
  }

  async #poll(): Promise<void> {
    const { pollMs } = this.#options;
    while (!this.#isClosed) {
      await setTimeout(pollMs, undefined, { signal: this.#abort.signal, ref: false }).catch(() => undefined);
      if (!this.#isClosed) await this.#compareHeads();
    }
  }

  /** Never rejects: while the database cannot answer, nothing is committed. */
  async #compareHeads(): Promise<void> {
    const { database } = this.#options;
    const startedAt = performance.now();
    const readAll = startedAt - this.#comparedAt > MAX_COMPARISON_GAP_MS;
    try {
      const heads = await (readAll ? readAllHeads(database) : readRecentHeads(database, RECENT_SECONDS, GRACE_SECONDS));
      for (const head of heads) this.#compare(head);
      this.#comparedAt = startedAt;
      this.#options.onPolled();
    } catch (error) {
      // The next poll compares again.
      this.#options.onPolled(error);
    }
  }

  #compare(head: Head): void {
    // The commits of this daemon are about to be published, with what others committed before them.
    if (head.writer === this.#options.writer) return;
    this.#reportUpTo(head);
  }

  async #receive(text: string): Promise<void> {
    const { w: writer, t: tenant, s: sequence, v: serviceSequence, c: changes } = JSON.parse(text) as Payload;
    if (writer === this.#options.writer) return;
    const known = this.#known.get(tenant);
    if (sequence <= (known?.sequence ?? 0)) return;
    if (changes === undefined || sequence > (known?.sequence ?? 0) + 1) {
      const heads = await readHeads(this.#options.database, [tenant]).catch(() => undefined);
      const current = heads?.get(tenant);
      if (current !== undefined) this.#compare(current);
      return;
    }
    this.#known.set(tenant, { sequence, head: known?.head });
    const service = this.#known.get(SERVICE);
    if (serviceSequence !== undefined && serviceSequence === (service?.sequence ?? 0) + 1)
      this.#known.set(SERVICE, { sequence: serviceSequence, head: service?.head });
    this.#options.onCommit({
      tenant,
      sequence,
      changes: changes.map(([table, id, kind]) => ({ table, id, added: kind === '+', removed: kind === '-' })),
    });
  }

  /** Reports which tables have changed up to this head, unless the commits were reported before. */
  #reportUpTo(head: Head): void {
    const known = this.#known.get(head.tenant);
    this.#remember(head);
    if (head.sequence <= (known?.sequence ?? 0)) return;
    const changed = [...head.tables].filter(([table, { revision }]) => known?.head?.tables.get(table)?.revision !== revision);
    const changes = changed.map(([table]) => ({ table, id: undefined, added: true, removed: true }));
    this.#options.onCommit({ tenant: head.tenant, sequence: head.sequence, changes });
  }

  #remember(head: Head): void {
    if (head.sequence >= (this.#known.get(head.tenant)?.sequence ?? 0)) this.#known.set(head.tenant, { sequence: head.sequence, head });
  }
}
