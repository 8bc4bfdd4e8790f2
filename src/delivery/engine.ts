/**
 * The delivery engine: from rows that are due to requests, and from their outcomes to rows. decisions-api §1.
 *
 * A row of the delivery table is, for the engine,
 *   waiting    in the store only, due now or later. `look` takes the first due ones of a lane into memory: ready.
 *   ready      claimed by its lane, with its body. A place becomes free: under way. The endpoint, the plan or the row itself changes: waiting.
 *   under way  a request has been begun. It ends, by an answer, an error or the timeout: finished. The engine stops: waiting.
 *   finished   its outcome is in memory and waits for the next commit of its tenant's results. The commit is durable: the row is waiting
 *              for a retry, or has ended. The store cannot write: it stays finished, and the commit is tried again.
 * Only "waiting" is on disk. A crash in any other state leaves the row waiting and due, so the next start sends it again: at least once.
 *
 * What makes the engine look: a commit that wrote deliveries (told by the store), a place that became free, the time of the next due
 * row (one timer for all lanes), a clock that was moved, and every half minute just in case. A look asks an index for the rows of one
 * endpoint in the order in which they are due: what is not due costs nothing, however much it is.
 */
import { setImmediate as nextTurn } from 'node:timers';
import { WEBHOOKS_CEILING } from '../contract/limits.ts';
import { type DeliveryRecord, openOf } from '../domain/deliveries.ts';
import type { Clock, Commit } from '../domain/ports.ts';
import type { ReadTx } from '../domain/tables.ts';
import { mayUseWebhooks } from '../domain/webhooks.ts';
import { AT_ONCE, type Lane, Lanes, NEVER, type Ready } from './lanes.ts';
import { discardRest, dropOrphans, dropRest } from './leftovers.ts';
import { Outcomes, type OutcomesOptions } from './outcomes.ts';
import type { Sender } from './send.ts';
import { deliveryHeaders } from './sign.ts';

export interface EngineOptions extends OutcomesOptions {
  readonly clock: Clock & { onChange(listener: () => void): () => void };
  readonly sender: Sender;
  readonly userAgent: string;
  readonly timeoutMs: number;
}

/** Rows taken into memory at once, and how few are left when the next are fetched. */
const BATCH = 256;
const LOW = 64;
/** What is overdue at the start begins endpoint by endpoint within this time. */
const SPREAD_MS = 5_000;
const SAFETY_MS = 30_000;
/**
 * Callers of the API go first: each commit of theirs holds deliveries up for so long, which together never leads further ahead than
 * the limit; and however many they are, so often some deliveries are begun. A machine on which beginning them takes long waits
 * longer for the next, so that they have the same share of it: a fortieth, and about as much for their answers and outcomes.
 */
const YIELD_PER_COMMIT_MS = 1;
const YIELD_AHEAD_MS = 15;
const YIELD_LEAST_EVERY_MS = 40;
const YIELD_SHARE = 40;
const YIELD_MOST_MS = 160;
/** The event loop, looked at for so long, is busy when it had less than a tenth of the time to wait in. */
const USE_WINDOW_MS = 10;
const USE_FULL = 0.9;
/** Requests begun in one turn of the event loop, while no caller waits and while some do: in a row they cost less than one by one. */
const BEGUN_TOGETHER = 16;
const BEGUN_BESIDE_CALLERS = 10;

interface Found {
  readonly lane: Lane;
  readonly due: readonly DeliveryRecord[];
  /** When to look again. */
  readonly next: number;
  /** Of the lane, when the look began. */
  readonly rewinds: number;
}

export class DeliveryEngine {
  readonly #options: EngineOptions;
  readonly #lanes = new Lanes();
  /** Tenants whose endpoints or plan changed. */
  readonly #changed = new Set<string>();
  readonly #outcomes: Outcomes;
  /** Endpoints that were deleted, with the deliveries that may be left of them. */
  #deleted: { readonly tenantId: string; readonly webhookId: string }[] = [];
  #ends: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #lookAgain = false;
  #sendScheduled = false;
  #yieldUntil = 0;
  #begunAt = 0;
  /** How long after that some are begun beside callers. */
  #besideAfterMs = YIELD_LEAST_EVERY_MS;
  /** Since when the use of the event loop is looked at. */
  #useFrom = performance.eventLoopUtilization();
  #stopping = false;
  #idle: (() => void) | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#outcomes = new Outcomes(options, this.#lanes, { wake: () => this.#wake(), armTimer: () => this.#armTimer() });
  }

  /** Takes up everything that is open in the store. */
  async start(): Promise<void> {
    const { store, clock } = this.#options;
    this.#ends = [store.onCommit((commit) => this.#hear(commit)), clock.onChange(() => this.#lookEverywhere())];
    const { rows } = await store.read('', (tx) => tx.tenants.after({ limit: Number.MAX_SAFE_INTEGER }));
    for (const { id } of rows) {
      await this.#reload(id);
      await dropOrphans(this.#options, id);
    }
    await this.#spreadOverdue();
    this.#wake();
  }

  /** Begins nothing new, waits for what is under way, gives up what takes longer than `graceMs`, stores every outcome. */
  async drain(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#outcomes.end();
    for (const end of this.#ends) end();
    clearTimeout(this.#timer);
    if (this.#lanes.sending > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await this.#options.sender.close();
    await this.#outcomes.flush();
  }

  /** How much is being done now. */
  get sending(): number {
    return this.#lanes.sending;
  }

  /** Whether a commit of ours with this delivery is on its way. */
  isRecording(deliveryId: string): boolean {
    return this.#outcomes.isRecording(deliveryId);
  }

  #hear({ tenant, changes }: Commit): void {
    let others = false;
    let news = false;
    // Rows that were there before may be ready; what is new cannot be.
    const changed: string[] = [];
    for (const { table, id, added, removed } of changes) {
      const ours = this.#outcomes.isEcho(id);
      others ||= !ours;
      if (table === 'webhooks' || table === 'tenants') {
        this.#changed.add(tenant);
        if (table === 'webhooks' && removed) this.#deleted.push({ tenantId: tenant, webhookId: id });
        news = true;
      } else if (table === 'deliveries' && !removed && !ours) {
        news = true;
        if (!added) changed.push(id);
      }
    }
    if (others) {
      const now = performance.now();
      this.#yieldUntil = Math.min(Math.max(this.#yieldUntil, now) + YIELD_PER_COMMIT_MS, now + YIELD_AHEAD_MS);
    }
    if (!news) return;
    for (const lane of this.#lanes.all) {
      if (lane.tenantId !== tenant) continue;
      for (const id of changed) if (lane.claimed.has(id)) forget(lane, id);
      lane.lookAt = AT_ONCE;
    }
    this.#wake();
  }

  #lookEverywhere(): void {
    for (const lane of this.#lanes.all) lane.rewind();
    this.#wake();
  }

  /** Looks for work, now or once more when a look is under way. Owns its errors. */
  #wake(): void {
    if (this.#stopping) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = true;
    void this.#look().finally(() => {
      this.#looking = false;
      if (this.#lookAgain) this.#wake();
      else this.#armTimer();
    });
  }

  async #look(): Promise<void> {
    try {
      do {
        this.#lookAgain = false;
        const changed = [...this.#changed];
        this.#changed.clear();
        for (const tenantId of changed) await this.#orLater(this.#reload(tenantId), () => this.#changed.add(tenantId));
        const deleted = this.#deleted;
        this.#deleted = [];
        for (const each of deleted)
          await this.#orLater(dropRest(this.#options, each.tenantId, each.webhookId), () => this.#deleted.push(each));
        await this.#fill();
        this.#send();
      } while (this.#lookAgain && !this.#stopping);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** The store may be unable to do it now: then it is put back for the next look, and nothing else waits for it. */
  async #orLater(work: Promise<void>, putBack: () => void): Promise<void> {
    try {
      await work;
    } catch (error) {
      putBack();
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    if (!this.#stopping) this.#options.log.error({ err: error }, 'the delivery engine could not look for work; it will try again');
  }

  /** Reads the endpoints of a tenant anew. */
  async #reload(tenantId: string): Promise<void> {
    const { store } = this.#options;
    const { tenant, webhooks } = await store.read(tenantId, async (tx) => ({
      tenant: await tx.tenants.get(tenantId),
      webhooks: (await tx.webhooks.after({ limit: WEBHOOKS_CEILING })).rows,
    }));
    const sends = tenant !== undefined && mayUseWebhooks(tenant);
    const kept = new Set(webhooks.map(({ id }) => id));
    for (const lane of this.#lanes.of(tenantId)) {
      lane.putBack();
      if (!kept.has(lane.webhook.id)) this.#lanes.remove(lane);
    }
    for (const webhook of webhooks) {
      const lane = this.#lanes.get(webhook.id);
      if (!sends || webhook.status === 'disabled') {
        if (lane) this.#lanes.remove(lane);
        await discardRest(this.#options, tenantId, webhook.id);
      } else if (lane) lane.webhook = webhook;
      else this.#lanes.add(tenantId, webhook);
    }
  }

  /** ours: endpoints are spread, not rows; the first begins at once. */
  async #spreadOverdue(): Promise<void> {
    const { store, clock } = this.#options;
    const overdue: Lane[] = [];
    for (const lane of this.#lanes.all) {
      const now = clock.now().toISOString();
      const where = [openOf(lane.webhook.id), { field: 'dueAt', to: now }];
      if ((await store.read(lane.tenantId, (tx) => tx.deliveries.count({ where }))) > 0) overdue.push(lane);
    }
    const start = clock.now().getTime();
    for (const [at, lane] of overdue.entries()) lane.lookAt = start + Math.floor((at * SPREAD_MS) / overdue.length);
  }

  /** Takes rows that are due into the lanes that have too few. */
  async #fill(): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now().getTime();
    const wanting = this.#lanes.all.filter((lane) => !lane.isHeld && lane.lookAt <= now && lane.ready.length < LOW);
    for (const tenantId of new Set(wanting.map((lane) => lane.tenantId))) {
      const lanes = wanting.filter((lane) => lane.tenantId === tenantId);
      // Before the read: what is committed during it makes the lanes look again.
      for (const lane of lanes) lane.lookAt = NEVER;
      const found = await store.read(tenantId, async (tx) => {
        const all: Found[] = [];
        for (const lane of lanes) all.push(await this.#due(tx, lane));
        // The endpoints of a tenant are mostly told of the same events: each is read once.
        const ids = [...new Set(all.flatMap(({ due }) => due.map(({ eventId }) => eventId)))];
        const events = await tx.events.getMany(ids);
        return { all, bodies: new Map(events.flatMap((event) => (event ? [[event.id, Buffer.from(event.body)]] : []))) };
      });
      for (const { lane, due, next, rewinds } of found.all) {
        // Changed endpoints are read again before anything is sent to them.
        if (this.#changed.has(tenantId) || this.#lanes.get(lane.webhook.id) !== lane) continue;
        for (const delivery of due) {
          lane.claimed.add(delivery.id);
          lane.ready.push({ delivery, body: found.bodies.get(delivery.eventId) });
        }
        if (lane.rewinds === rewinds) lane.cursor = due.at(-1)?.dueAt ?? lane.cursor;
        lane.lookAt = Math.min(lane.lookAt, next);
      }
    }
  }

  async #due(tx: ReadTx, lane: Lane): Promise<Found> {
    const { rewinds, cursor, claimed, webhook } = lane;
    const { rows, more } = await tx.deliveries.after({
      orderBy: 'queue',
      where: cursor === '' ? [openOf(webhook.id)] : [openOf(webhook.id), { field: 'dueAt', from: cursor }],
      limit: BATCH + claimed.size,
    });
    const now = this.#options.clock.now().toISOString();
    const free = rows.filter(({ id }) => !claimed.has(id));
    const due = free.filter(({ dueAt }) => dueAt <= now);
    const later = free[due.length];
    return { lane, due, next: later ? Date.parse(later.dueAt) : more ? AT_ONCE : NEVER, rewinds };
  }

  /** Begins as many requests as there are places, a few in each turn of the event loop: between two turns, others get theirs. */
  #send(): void {
    if (this.#sendScheduled || this.#stopping) return;
    this.#sendScheduled = true;
    const rest = Math.min(this.#yieldUntil, this.#begunAt + this.#besideAfterMs) - performance.now();
    if (rest > 0) setTimeout(() => this.#begin(), rest);
    else nextTurn(() => this.#begin());
  }

  #begin(): void {
    this.#sendScheduled = false;
    const now = performance.now();
    if (now >= this.#yieldUntil && this.#callersNeedTheProcessor()) this.#yieldUntil = now + YIELD_PER_COMMIT_MS;
    const isQuiet = now >= this.#yieldUntil;
    const mayBegin = isQuiet || now >= this.#begunAt + this.#besideAfterMs;
    if (!mayBegin) {
      this.#send();
      return;
    }
    const most = isQuiet ? BEGUN_TOGETHER : BEGUN_BESIDE_CALLERS;
    let begun = 0;
    for (; begun < most; begun += 1) {
      const next = this.#stopping ? undefined : this.#lanes.take();
      if (!next) break;
      void this.#attempt(next.lane, next.ready, next.troubled);
    }
    if (begun > 0) {
      this.#begunAt = now;
      this.#besideAfterMs = Math.min(YIELD_MOST_MS, Math.max(YIELD_LEAST_EVERY_MS, (performance.now() - now) * YIELD_SHARE));
    }
    if (begun === most) this.#send();
  }

  /** Where a commit takes longer than it holds deliveries up, the next callers wait for their turn. What waits for a disk leaves the loop idle. */
  #callersNeedTheProcessor(): boolean {
    if (this.#options.store.transacting <= this.#outcomes.storing) return false;
    const use = performance.eventLoopUtilization(this.#useFrom);
    if (use.active + use.idle > USE_WINDOW_MS) this.#useFrom = performance.eventLoopUtilization();
    return use.utilization > USE_FULL;
  }

  async #attempt(lane: Lane, { delivery, body }: Ready, troubled: boolean): Promise<void> {
    const { sender, clock, userAgent, timeoutMs, log } = this.#options;
    const { webhook, tenantId } = lane;
    const { id, attempts } = delivery;
    const result = { tenantId, webhookId: webhook.id, deliveryId: id, targetUrl: webhook.targetUrl };
    try {
      if (body === undefined) this.#outcomes.add({ ...result, outcome: null });
      else {
        const startedAt = clock.now();
        const headers = deliveryHeaders(delivery, attempts + 1, body, lane.keys(startedAt), startedAt, userAgent);
        const outcome = await sender.send({ url: webhook.targetUrl, headers, body, timeoutMs, startedAt });
        if (outcome) {
          lane.troubled = outcome.error !== null;
          this.#outcomes.add({ ...result, outcome });
        } else lane.claimed.delete(id);
      }
    } catch (error) {
      // A bug: the row stays claimed, so that it is not tried in a tight loop; the next start takes it up.
      log.error({ err: error, deliveryId: id }, 'an attempt could not be made');
    } finally {
      this.#lanes.release(lane, troubled);
      if (this.#lanes.sending === 0) this.#idle?.();
      this.#send();
      if (lane.ready.length < LOW && lane.lookAt <= clock.now().getTime()) this.#wake();
    }
  }

  /** One timer, for the earliest row that is not due yet. */
  #armTimer(): void {
    if (this.#stopping) return;
    clearTimeout(this.#timer);
    const now = this.#options.clock.now().getTime();
    let next = now + SAFETY_MS;
    for (const lane of this.#lanes.all) if (!lane.isHeld && lane.ready.length < LOW) next = Math.min(next, lane.lookAt);
    const safety = next === now + SAFETY_MS;
    this.#timer = setTimeout(() => (safety ? this.#lookEverywhere() : this.#wake()), Math.max(1, next - now));
  }
}

/** A row that may be ready was changed by somebody else: what was read of it is out of date. */
function forget(lane: Lane, id: string): void {
  const at = lane.ready.findIndex(({ delivery }) => delivery.id === id);
  // Under way: its result is recorded upon the row as it is by then.
  if (at === -1) return;
  lane.ready.splice(at, 1);
  lane.claimed.delete(id);
  lane.rewind();
}
