/**
 * Lets each daemon hear of the commits of the others.
 *
 * After a group commit, a daemon sends a hint: the tenant has changed (hints.ts). Hints are sent outside of transactions, because a
 * transaction with a notification takes a lock of the whole database. They are neither trusted nor complete: a daemon that gets one reads the head
 * of the tenant, and from the commit log which rows have changed. Tables of the service are reported as commits of the service, without ids,
 * even if the commits of the tenants name their rows. Every second each daemon also reads the heads that have changed lately; a
 * daemon that could not do that for a while reads all. When the commit log does not have all commits up to the head, the tables are reported
 * without ids.
 *
 * The head of each tenant as it was last reported is what this daemon knows. Once the server shows an older or another one, its history has
 * changed: see `#onHistoryChanged`.
 */
import { setTimeout } from 'node:timers/promises';
import { type Commit, StoreUnavailable } from '../../../domain/kernel/ports.ts';
import { type LoggedCommit, purgeCommits, readCommitsAfter } from '../commit-log.ts';
import { type Database, defineStatement } from '../database.ts';
import { toConnectError } from '../errors.ts';
import { type Head, SERVICE, isSameCommit, isSameRevision, getTableHead, readAllHeads, readHeads, readRecentHeads } from '../heads.ts';
import { type HintCodec, createHintCodec, readSecret } from './hints.ts';
import { History, type LostCommits, mergeLost } from '../history.ts';
import { Listener } from './listener.ts';
import { type ServerState, readServerState } from '../server-state.ts';
import type { GroupResult } from '../writes/write-group.ts';

/** Heads are read if they changed within this time. */
const RECENT_SECONDS = 15;
/** The hint of a younger commit may still arrive. */
const GRACE_SECONDS = 0.25;
/** After a longer time without a check, all heads are read: in it, a commit may have become older than the recent ones. */
const MAX_GAP_MS = 5_000;
/** Also when the clock of the server was set by more than this: what is recent is measured with it. */
const MAX_CLOCK_STEP_MS = 2_000;
const PURGE_INTERVAL_MS = 60_000;
const REPORT_INTERVAL_MS = 60_000;

const NOTIFY = defineStatement('SELECT pg_catalog.pg_notify($1, payload) FROM pg_catalog.unnest($2::text[]) AS payload');

export interface NotificationsOptions {
  readonly database: Database;
  readonly listenUrl: string;
  /** Identifies this daemon. */
  readonly writer: string;
  readonly pollMs: number;
  /** Called with the commits of other daemons. */
  readonly onCommit: (commit: Commit) => void;
  readonly onNotice: (message: string, cause?: unknown) => void;
  /** Called after each check of the server: with its state, or with the error when it did not answer. */
  readonly onChecked: (state: ServerState | undefined, error?: unknown) => void;
  /** Called when commits that this daemon knew are gone, or may be: nothing that it has cached is valid. */
  readonly onHistoryChanged: (lost: readonly LostCommits[]) => void;
}

type KnownHeads = Map<string, Head>;

export class Notifications {
  readonly #options: NotificationsOptions;
  /** Of each tenant, the head up to which commits were reported. */
  readonly #known: KnownHeads = new Map();
  readonly #history = new History();
  /** Commits of this daemon of which it is unknown whether they took place: by tenant, the number of the last one. */
  readonly #uncertain = new Map<string, number>();
  readonly #abort = new AbortController();
  #codec: HintCodec | undefined;
  #listener: Listener | undefined;
  #polling: Promise<void> | undefined;
  /** Reads of heads run one after another. */
  #turn: Promise<void> = Promise.resolve();
  /** Tenants that have changed, and whose hints wait to be sent. */
  readonly #unsent = new Set<string>();
  #isSending = false;
  /** Tenants of which a hint has arrived. */
  readonly #hinted = new Set<string>();
  /** By their tag. */
  readonly #tenants = new Map<string, string>();
  #server: { readonly state: ServerState; readonly at: number } | undefined;
  #purgeAt = 0;
  /** Notifications that no daemon has sent. */
  ignoredCount = 0;
  #reportIgnoredAt = 0;

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { database, listenUrl, writer, onNotice, onChecked } = this.#options;
    this.#codec = createHintCodec(await readSecret(database), writer);
    const state = await readServerState(database);
    this.#server = { state, at: performance.now() };
    onChecked(state);
    for (const head of await readAllHeads(database)) this.#remember(head);
    this.#listener = new Listener({
      url: listenUrl,
      channel: this.#codec.channel,
      onPayload: (payload) => this.#onPayload(payload),
      // Commits made before the listener was connected.
      onListening: () => this.#check(),
      onChange: (error) =>
        error === undefined
          ? onNotice('notifications restored')
          : onNotice('notifications unavailable; polling for commits of other daemons', toConnectError(error)),
    });
    this.#polling = this.#poll();
    // The first commit of another daemon should not be found by polling only because this one was not listening yet.
    await this.#listener.start();
  }

  /** Announces commits of this daemon. Those of one turn of the event loop travel together. */
  publish({ commits, before, after, serviceBefore, serviceAfter, logged }: GroupResult): void {
    if (commits.length === 0) return;
    // Commits of others before these, of which no hint came yet. They may have changed tables of the service, too.
    const hasMissed = before.sequence > (this.#known.get(before.tenant)?.sequence ?? 0);
    this.#reportTables(before);
    this.#remember(after);
    if (after.tenant !== SERVICE && (hasMissed || serviceAfter !== serviceBefore)) {
      this.#reportTables(serviceBefore);
      this.#remember(serviceAfter);
      // Only who changes a table of the service waits for its lock, and so for the commits before.
      if (serviceAfter !== serviceBefore) this.#onOutcomeKnown(serviceAfter);
    }
    this.#uncertain.delete(after.tenant);
    this.#history.add(logged);
    this.#sendHint(after.tenant);
  }

  /** It is unknown whether this daemon has committed a group: it is read like the commits of others. */
  onOutcomeUnknown({ after, serviceBefore, serviceAfter }: GroupResult): void {
    this.#uncertain.set(after.tenant, after.sequence);
    if (serviceAfter !== serviceBefore) this.#uncertain.set(SERVICE, serviceAfter.sequence);
  }

  /** Called with each head that is reported. A commit that took long is not among the recent ones, so others find it only by a hint. */
  #onOutcomeKnown({ tenant, sequence }: Head): void {
    if (sequence < (this.#uncertain.get(tenant) ?? Number.POSITIVE_INFINITY)) return;
    this.#uncertain.delete(tenant);
    this.#sendHint(tenant);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#listener?.close();
    await this.#polling;
    await this.#turn;
  }

  get #isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  #sendHint(tenant: string): void {
    this.#unsent.add(tenant);
    this.#scheduleSend();
  }

  #scheduleSend(): void {
    if (this.#isSending || this.#unsent.size === 0) return;
    this.#isSending = true;
    setImmediate(() => {
      const tenants = [...this.#unsent];
      this.#unsent.clear();
      const { channel, format } = this.#codec!;
      this.#options.database
        .query(NOTIFY, [channel, tenants.map(format)])
        // Without a hint, others find the commits by polling.
        .catch(() => undefined)
        .finally(() => {
          this.#isSending = false;
          this.#scheduleSend();
        });
    });
  }

  #onPayload(payload: string): void {
    const hint = this.#codec!.parse(payload);
    if (hint.kind === 'invalid') return this.#countIgnored();
    if (hint.kind === 'own') return;
    const tenant = this.#tenants.get(hint.tenantTag);
    // A tenant that is new: its head is found among the recent ones.
    if (tenant === undefined) return this.#check();
    const isWaiting = this.#hinted.size > 0;
    this.#hinted.add(tenant);
    if (!isWaiting) this.#run(() => this.#readHinted());
  }

  #countIgnored(): void {
    this.ignoredCount += 1;
    const now = performance.now();
    if (now < this.#reportIgnoredAt) return;
    this.#reportIgnoredAt = now + REPORT_INTERVAL_MS;
    this.#options.onNotice(`ignored an invalid notification (${String(this.ignoredCount)} so far)`);
  }

  /** Runs work after that in progress. */
  #run(work: () => Promise<void>): void {
    this.#turn = this.#runAfter(this.#turn, work);
  }

  /** Never rejects: the next check finds what this one did not. */
  async #runAfter(turn: Promise<void>, work: () => Promise<void>): Promise<void> {
    await turn;
    if (this.#isClosed) return;
    try {
      await work();
    } catch (error) {
      if (this.#isClosed) return;
      if (error instanceof StoreUnavailable) this.#options.onChecked(undefined, error);
      else this.#options.onNotice('could not read the commits of other daemons; trying again', error);
    }
  }

  #check(): void {
    this.#run(() => this.#checkServer(0));
  }

  async #poll(): Promise<void> {
    while (!this.#isClosed) {
      await setTimeout(this.#options.pollMs, undefined, { signal: this.#abort.signal, ref: false }).catch(() => undefined);
      this.#run(() => this.#checkServer(GRACE_SECONDS));
      await this.#turn;
    }
  }

  async #readHinted(): Promise<void> {
    const tenants = [...this.#hinted];
    this.#hinted.clear();
    const known = new Map(this.#known);
    const heads = await readHeads(this.#options.database, tenants);
    if ([...heads.values()].some((head) => isBehind(head, known))) return this.#checkServer(0);
    for (const head of heads.values()) await this.#catchUp(head);
  }

  async #checkServer(graceSeconds: number): Promise<void> {
    const { database, onChecked } = this.#options;
    const at = performance.now();
    const state = await readServerState(database);
    const last = this.#server!;
    const elapsedMs = at - last.at;
    const isSameServer = state.identity === last.state.identity;
    const isClockSet = Math.abs(state.time - last.state.time - elapsedMs) > MAX_CLOCK_STEP_MS + elapsedMs / 2;
    // Before the heads are read: what is known then is committed, and they must show it.
    const known = new Map(this.#known);
    const readAll = !isSameServer || isClockSet || elapsedMs > MAX_GAP_MS;
    const heads = await (readAll ? readAllHeads(database) : this.#readChangedHeads(graceSeconds));
    const found = new Set(heads.map(({ tenant }) => tenant));
    const isMissing = readAll && [...known.keys()].some((tenant) => !found.has(tenant));
    if (!isSameServer || isMissing || heads.some((head) => isBehind(head, known))) await this.#resetHistory(known, state);
    else for (const head of heads) await this.#catchUp(head);
    this.#server = { state, at };
    onChecked(state);
    await this.#purge();
  }

  /** Those that have changed lately, and those of commits that may become visible later. */
  async #readChangedHeads(graceSeconds: number): Promise<Head[]> {
    const { database } = this.#options;
    const recent = await readRecentHeads(database, RECENT_SECONDS, graceSeconds);
    if (this.#uncertain.size === 0) return recent;
    return [...recent, ...(await readHeads(database, [...this.#uncertain.keys()])).values()];
  }

  async #purge(): Promise<void> {
    if (performance.now() < this.#purgeAt) return;
    await purgeCommits(this.#options.database);
    this.#purgeAt = performance.now() + PURGE_INTERVAL_MS * (1 + Math.random());
  }

  /**
   * The server is another one, has started again, or shows heads that are older than known ones. All caches are dropped, and every table of a
   * tenant that lost commits is reported as changed. `known`: what the server must have.
   */
  async #resetHistory(known: KnownHeads, state: ServerState): Promise<void> {
    const { database, onHistoryChanged, onNotice } = this.#options;
    const heads = new Map((await readAllHeads(database)).map((head) => [head.tenant, head]));
    const behind = [...known.values()].filter((head) => isBehind(heads.get(head.tenant) ?? { ...head, sequence: 0, token: '' }, known));
    const missing = behind.map(({ tenant, sequence }) => ({
      tenant,
      first: Math.min(sequence, (heads.get(tenant)?.sequence ?? 0) + 1),
      last: sequence,
    }));
    const lost = mergeLost([...missing, ...(await this.#history.takeLost(database))]);
    onHistoryChanged(lost);
    const isMoved = state.cluster !== this.#server!.state.cluster;
    if (lost.length > 0) onNotice(`the database has lost commits: ${describeLost(lost)}`);
    else if (isMoved) onNotice('the database moved to another server or timeline; no known commit was lost');
    const lostTenants = new Set(lost.map(({ tenant }) => tenant));
    for (const tenant of known.keys()) if (!heads.has(tenant)) this.#known.delete(tenant);
    for (const head of heads.values()) {
      if (!lostTenants.has(head.tenant)) await this.#catchUp(head);
      else {
        const before = known.get(head.tenant);
        this.#known.set(head.tenant, head);
        const tables = new Set([...head.tables.keys(), ...(before?.tables.keys() ?? [])]);
        this.#reportChanged(head, [...tables]);
      }
    }
  }

  /** Reports what has led to this head, unless that is known. */
  async #catchUp(head: Head): Promise<void> {
    const { database, writer } = this.#options;
    const { tenant } = head;
    const from = this.#known.get(tenant)?.sequence ?? 0;
    const isUncertain = this.#uncertain.has(tenant);
    // The commits of this daemon are about to be published, with what others committed before them.
    if (head.sequence <= from || (head.writer === writer && !isUncertain)) return;
    const logged = await readCommitsAfter(database, tenant, from);
    // This daemon may have committed and published meanwhile.
    if ((this.#known.get(tenant)?.sequence ?? 0) !== from) return;
    const upToHead = logged.filter(({ sequence }) => sequence <= head.sequence);
    if (!isComplete(upToHead, from, head)) return this.#reportTables(head);
    for (const entry of upToHead) this.#history.add(entry);
    // Only the entry of the tenant lists what its commit has changed in tables of the service, and that entry may never be read.
    if (tenant === SERVICE && !upToHead.every(hasChanges)) return this.#reportTables(head);
    this.#remember(head);
    this.#onOutcomeKnown(head);
    for (const entry of upToHead) if (entry.writer !== writer || isUncertain) this.#reportLogged(entry);
  }

  #reportLogged({ tenant, first, changes = [] }: LoggedCommit): void {
    for (const [at, each] of changes.entries())
      if (each.length > 0) this.#options.onCommit({ tenant, sequence: first + at, changes: each });
  }

  /** Reports which tables have changed up to this head, unless the commits were reported before. */
  #reportTables(head: Head): void {
    const known = this.#known.get(head.tenant);
    if (known !== undefined && head.sequence <= known.sequence) return;
    this.#remember(head);
    this.#onOutcomeKnown(head);
    const isChanged = (table: string): boolean =>
      known === undefined || !isSameRevision(getTableHead(head, table), getTableHead(known, table));
    const changed = [...head.tables.keys()].filter(isChanged);
    if (changed.length > 0) this.#reportChanged(head, changed);
  }

  #reportChanged({ tenant, sequence }: Head, tables: readonly string[]): void {
    const changes = tables.map((table) => ({ table, id: undefined, added: true, removed: true }));
    this.#options.onCommit({ tenant, sequence, changes });
  }

  #remember(head: Head): void {
    const known = this.#known.get(head.tenant);
    if (known === undefined) this.#tenants.set(this.#codec!.tagTenant(head.tenant), head.tenant);
    if (known === undefined || head.sequence >= known.sequence) this.#known.set(head.tenant, head);
  }
}

/** Whether a head lacks a commit that is known. */
function isBehind(head: Pick<Head, 'tenant' | 'sequence' | 'token'>, known: KnownHeads): boolean {
  const before = known.get(head.tenant);
  if (before === undefined) return false;
  return head.sequence < before.sequence || (head.sequence === before.sequence && !isSameCommit(head, before));
}

/** Whether the entries are all commits between a number and a head, with their changes. */
function isComplete(entries: readonly LoggedCommit[], from: number, head: Head): boolean {
  let next = from + 1;
  for (const { first, sequence, changes } of entries) {
    if (first !== next || changes === undefined) return false;
    next = sequence + 1;
  }
  return next === head.sequence + 1 && entries.at(-1)?.token === head.token;
}

const hasChanges = ({ changes = [] }: LoggedCommit): boolean => changes.some((each) => each.length > 0);

const describeLost = (lost: readonly LostCommits[]): string =>
  lost
    .map(({ tenant, first, last }) => `${String(first)} to ${String(last)} of ${tenant === SERVICE ? 'the service' : `tenant ${tenant}`}`)
    .join(', ');
