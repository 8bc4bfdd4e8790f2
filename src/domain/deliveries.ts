/**
 * Deliveries: one row per event and endpoint, written in the commit of the change. decisions-api §1.1 to §1.3.
 *
 *   pending    no attempt has been made. Leaves by the first attempt, or is discarded.
 *   retrying   every attempt so far failed, and the next has its time. Leaves by that attempt, or is discarded.
 *   delivered  a 2xx came back.          \
 *   failed     attempts used up, or 410.  > these are ends; only a resend makes a delivery pending again.
 *   discarded  will not be sent.         /
 *
 * That an attempt is under way is known only in memory: after a crash the row is as it was before the attempt, which is made again
 * under the same event id. So at least once, never silently not at all.
 */
import type { SubscribableEvent } from '../contract/events.ts';
import { DELIVERY_LOG_DAYS, DELIVERY_LOG_MAX_ROWS, HELD_MAX_H, HELD_MAX_ROWS, RETRY_AFTER_MAX_H } from '../contract/limits.ts';
import type { DeliveryError, DeliveryStatus } from '../contract/webhooks.ts';
import { StockroomError, notFound } from './errors.ts';
import type { Condition, RowForm } from './ports.ts';
import type { ReadTx, Tx } from './tables.ts';

/** One request that was begun. What a receiver answers is never kept, but for its status. */
export interface AttemptRecord {
  readonly at: string;
  readonly milliseconds: number;
  readonly httpStatus: number | null;
  readonly error: DeliveryError | null;
}

export interface DeliveryRecord {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: SubscribableEvent;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** This, the status and the history are absent while there is nothing to say: most rows are written once for every event and endpoint. */
  readonly lastError?: DeliveryError | null;
  readonly lastHttpStatus?: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The endpoint in whose queue it stands while it is open; null once it has ended. One index answers what is due, of whom, and which ends are oldest. */
  readonly queue: string | null;
  /** When the next attempt is due, or, once it has ended, when that was. */
  readonly dueAt: string;
  /** Resent by hand: one attempt, and no retry after it. */
  readonly manual?: true;
  /** The last ones. */
  readonly history?: readonly AttemptRecord[];
}

type Fresh = readonly [id: string, webhookId: string, eventId: string, eventType: SubscribableEvent, createdAt: string];
type Done = readonly [...Fresh, updatedAt: string, startedAt: string, milliseconds: number, httpStatus: number | null];

/** Most rows are fresh, or were delivered by their first attempt: those are written as lists. */
export const deliveryForm: RowForm<DeliveryRecord> = {
  write(row) {
    if (isFresh(row)) return `[${freshText(row)}]`;
    const [only, ...others] = row.history ?? [];
    if (only === undefined || others.length > 0 || !isDone(row, only)) return JSON.stringify(row);
    const { at, milliseconds, httpStatus } = only;
    return `[${freshText(row)},"${row.updatedAt}","${at}",${String(milliseconds)},${String(httpStatus)}]`;
  },
  read(text) {
    const stored: unknown = JSON.parse(text);
    if (!Array.isArray(stored)) return requeued(stored as DeliveryRecord | PlacedRecord);
    // A list was written above; the compiler knows neither its length nor its parts.
    const [id, webhookId, eventId, eventType, createdAt, ...more] = stored as unknown as Fresh | Done;
    const fresh = newDelivery(id, webhookId, { id: eventId, name: eventType }, createdAt);
    const [updatedAt, at, milliseconds, httpStatus] = more;
    if (updatedAt === undefined || at === undefined || milliseconds === undefined || httpStatus === undefined) return fresh;
    return {
      ...fresh,
      attempts: 1,
      lastHttpStatus: httpStatus,
      updatedAt,
      history: [{ at, milliseconds, httpStatus, error: null }],
      status: 'delivered',
      lastError: null,
      queue: null,
      dueAt: updatedAt,
    };
  },
};

/** The JSON of a `Fresh` without its brackets, by hand: ids, names of events and times have nothing that JSON would escape. */
const freshText = ({ id, webhookId, eventId, eventType, createdAt }: DeliveryRecord): string =>
  `"${id}","${webhookId}","${eventId}","${eventType}","${createdAt}"`;

/** As earlier releases wrote it: `<webhookId> <due time>` while it is open, `~ <end>` afterwards. */
type PlacedRecord = Omit<DeliveryRecord, 'queue' | 'dueAt'> & { readonly place: string };

function requeued(stored: DeliveryRecord | PlacedRecord): DeliveryRecord {
  if (!('place' in stored)) return stored;
  const { place, ...rest } = stored;
  return { ...rest, queue: isOpen(rest) ? rest.webhookId : null, dueAt: place.slice(place.indexOf(' ') + 1) };
}

const isFresh = (row: DeliveryRecord): boolean =>
  row.status === 'pending' &&
  row.attempts === 0 &&
  row.manual === undefined &&
  row.history === undefined &&
  row.lastError === undefined &&
  row.lastHttpStatus === undefined &&
  row.updatedAt === row.createdAt &&
  row.queue === row.webhookId &&
  row.dueAt === row.createdAt;

const isDone = (row: DeliveryRecord, { error, httpStatus }: AttemptRecord): boolean =>
  row.status === 'delivered' &&
  row.attempts === 1 &&
  row.manual === undefined &&
  error === null &&
  row.lastError === null &&
  row.lastHttpStatus === httpStatus &&
  row.queue === null &&
  row.dueAt === row.updatedAt;

/** What came of one attempt. */
export interface Outcome {
  /** What was signed, so that the signature can be made again. */
  readonly startedAt: Date;
  readonly milliseconds: number;
  readonly httpStatus: number | null;
  /** Null: a 2xx. */
  readonly error: DeliveryError | null;
  readonly retryAfterSeconds: number | null;
}

export interface RetryRules {
  /** Seconds before the second and every later attempt. */
  readonly scheduleSeconds: readonly number[];
  /** Least delay after an answer that tells of overload. */
  readonly overloadSeconds: number;
}

const HISTORY_MAX = 25;
const JITTER = 0.2;
const LEAST_DELAY_MS = 1_000;
const OVERLOADED: ReadonlySet<DeliveryError> = new Set(['timeout', 'http_429', 'http_502', 'http_504']);

export const isOpen = ({ status }: Pick<DeliveryRecord, 'status'>): boolean => status === 'pending' || status === 'retrying';
/** The open deliveries of an endpoint; the order `queue` has them as they are due. */
export const openOf = (webhookId: string): Condition => ({ field: 'queue', equals: webhookId });
/** The ended ones of all endpoints; the order `queue` has the oldest ends first. */
const ENDED: Condition = { field: 'queue', equals: null };

/** A fresh row for an event. */
export function newDelivery(id: string, webhookId: string, event: { id: string; name: SubscribableEvent }, at: string): DeliveryRecord {
  return {
    id,
    webhookId,
    eventId: event.id,
    eventType: event.name,
    status: 'pending',
    attempts: 0,
    createdAt: at,
    updatedAt: at,
    queue: webhookId,
    dueAt: at,
  };
}

/**
 * The delivery after an attempt. `random` is a number from 0 to 1 that spreads retries. A delivery that was discarded while the attempt
 * was under way stays so, unless the attempt succeeded: then it is a fact that it was delivered.
 */
export function afterAttempt(delivery: DeliveryRecord, outcome: Outcome, rules: RetryRules, random: number): DeliveryRecord {
  const { startedAt, milliseconds, httpStatus, error } = outcome;
  const now = new Date(startedAt.getTime() + milliseconds);
  const at = now.toISOString();
  const made = delivery.attempts + 1;
  const attempt: AttemptRecord = { at: startedAt.toISOString(), milliseconds, httpStatus, error };
  const { id, webhookId, eventId, eventType, createdAt, updatedAt, history = [] } = delivery;
  const tried = {
    id,
    webhookId,
    eventId,
    eventType,
    attempts: made,
    lastHttpStatus: httpStatus,
    createdAt,
    updatedAt: at > updatedAt ? at : updatedAt,
    history: history.length === 0 ? [attempt] : [...history, attempt].slice(-HISTORY_MAX),
  };
  if (error === null) return { ...tried, status: 'delivered', lastError: null, queue: null, dueAt: at };
  if (!isOpen(delivery)) {
    const { status, lastError = null, queue, dueAt } = delivery;
    return { ...tried, status, lastError, queue, dueAt };
  }
  const delay = rules.scheduleSeconds[made - 1];
  if (error === 'endpoint_gone' || delivery.manual || delay === undefined) {
    return { ...tried, status: 'failed', lastError: error, queue: null, dueAt: at };
  }
  const dueAt = new Date(now.getTime() + delayAfter(delay, outcome, rules, random)).toISOString();
  return { ...tried, status: 'retrying', lastError: error, queue: delivery.webhookId, dueAt };
}

/** Milliseconds: the schedule with its jitter, or longer when the receiver asks for it or is overloaded. */
function delayAfter(seconds: number, { error, retryAfterSeconds }: Outcome, rules: RetryRules, random: number): number {
  const planned = Math.max(LEAST_DELAY_MS, Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * random)));
  const asked = Math.min(retryAfterSeconds ?? 0, RETRY_AFTER_MAX_H * 3_600) * 1_000;
  const overload = error !== null && OVERLOADED.has(error) ? rules.overloadSeconds * 1_000 : 0;
  return Math.max(planned, asked, overload);
}

/** The delivery, ended without a (further) attempt. */
export const discarded = (delivery: DeliveryRecord, reason: DeliveryError, now: Date): DeliveryRecord => {
  const at = now.toISOString();
  const { manual: _once, ...rest } = delivery;
  return {
    ...rest,
    status: 'discarded',
    lastError: reason,
    updatedAt: at > delivery.updatedAt ? at : delivery.updatedAt,
    queue: null,
    dueAt: at,
  };
};

/** So many rows are changed in the transaction of a caller; the engine takes care of the rest. */
const AT_ONCE = 1_000;

/** Discards the open deliveries of an endpoint; the engine discards those that are too many for one transaction when it meets them. */
export async function discardOpen(tx: Tx, webhookId: string, reason: DeliveryError, now: Date, limit: number = AT_ONCE): Promise<void> {
  const { rows } = await tx.deliveries.after({ orderBy: 'queue', where: [openOf(webhookId)], limit });
  await tx.deliveries.putMany(rows.map((row) => discarded(row, reason, now)));
}

/** Makes open deliveries due that were to wait longer. A paused endpoint has not held more than one transaction takes. */
export async function makeDue(tx: Tx, webhookId: string, now: Date): Promise<void> {
  const dueAt = now.toISOString();
  const later = [openOf(webhookId), { field: 'dueAt', after: dueAt }];
  const { rows } = await tx.deliveries.after({ orderBy: 'queue', where: later, limit: AT_ONCE });
  await tx.deliveries.putMany(rows.map((row) => ({ ...row, dueAt })));
}

/** Removes deliveries of an endpoint; true when there may be more. */
export async function dropDeliveries(tx: Tx, webhookId: string, limit: number = AT_ONCE): Promise<boolean> {
  const { ids, more } = await tx.deliveries.idsAfter({ where: [{ field: 'webhookId', equals: webhookId }], limit });
  for (const id of ids) await tx.deliveries.remove(id);
  return more;
}

/** A paused endpoint holds no more than so much, `wanted` new ones included: the oldest make room. */
export async function makeRoom(tx: Tx, webhookId: string, now: Date, wanted = 1): Promise<void> {
  const surplus = (await tx.deliveries.count({ where: [openOf(webhookId)] })) + wanted - HELD_MAX_ROWS;
  if (surplus <= 0) return;
  const { rows } = await tx.deliveries.after({ orderBy: 'created_at', where: [openOf(webhookId)], limit: surplus });
  await tx.deliveries.putMany(rows.map((row) => discarded(row, 'held_too_long', now)));
}

/** Discards at most `limit` deliveries that a paused endpoint has held for too long; returns how many. */
export async function discardHeld(tx: Tx, webhookId: string, pausedAt: string, now: Date, limit: number): Promise<number> {
  const held = new Date(now.getTime() - HELD_MAX_H * 3_600_000).toISOString();
  // Held since the later of the two: a retry that was open before waits from the pause on.
  if (pausedAt > held) return 0;
  // It holds no more than a few transactions take; those that stay, because they were resent, must not stand before the others.
  const where: Condition[] = [openOf(webhookId), { field: 'createdAt', to: held }];
  const { rows } = await tx.deliveries.after({ where, limit: Number.MAX_SAFE_INTEGER });
  // One that was resent is held since then.
  const tooLong = rows.filter(({ manual, dueAt }) => manual === undefined || dueAt <= held).slice(0, limit);
  await tx.deliveries.putMany(tooLong.map((row) => discarded(row, 'held_too_long', now)));
  return tooLong.length;
}

export async function getDelivery(tx: ReadTx, id: string): Promise<DeliveryRecord> {
  const delivery = await tx.deliveries.get(id);
  if (!delivery) throw notFound('delivery', id);
  return delivery;
}

/** Makes a delivery due now: one that has ended for one attempt without retries, one that waits for a retry a little earlier. */
export async function resend(tx: Tx, id: string, now: Date): Promise<DeliveryRecord> {
  const delivery = await getDelivery(tx, id);
  const webhook = await tx.webhooks.get(delivery.webhookId);
  if (!webhook) throw notFound('webhook', delivery.webhookId);
  if (webhook.status === 'disabled') {
    throw new StockroomError('INVALID_STATE', `The endpoint of this delivery is disabled; set its status to active first.`, {
      details: { webhookId: webhook.id, status: webhook.status },
    });
  }
  if (!(await tx.events.get(delivery.eventId))) {
    throw new StockroomError('INVALID_STATE', 'The event of this delivery is no longer in the change log, so it cannot be sent again.');
  }
  const again = dueAgain(delivery, now);
  await tx.deliveries.put(again);
  return again;
}

export interface FailedSince {
  readonly webhookIds: readonly string[];
  readonly since: string;
  /** Behind this one. */
  readonly after: Pick<DeliveryRecord, 'createdAt' | 'id'> | undefined;
  readonly limit: number;
}

/**
 * The failed deliveries of endpoints since an instant, made due again: at most `limit`, the oldest first. `next`: where to go on; one
 * that fails again meanwhile stays behind it.
 */
export async function resendFailed(
  tx: Tx,
  { webhookIds, since, after, limit }: FailedSince,
  now: Date,
): Promise<{ resent: DeliveryRecord[]; next: Pick<DeliveryRecord, 'createdAt' | 'id'> | null }> {
  const where: Condition[] = [
    { field: 'webhookId', in: webhookIds },
    { field: 'status', equals: 'failed' },
    { field: 'createdAt', from: since },
  ];
  const { rows, more } = await tx.deliveries.after({
    where,
    limit,
    ...(after === undefined ? {} : { after: { values: [after.createdAt], id: after.id } }),
  });
  const resent: DeliveryRecord[] = [];
  for (const row of rows) {
    if (!(await tx.events.get(row.eventId))) continue;
    const again = dueAgain(row, now);
    await tx.deliveries.put(again);
    resent.push(again);
  }
  const last = rows.at(-1);
  return { resent, next: more && last ? { createdAt: last.createdAt, id: last.id } : null };
}

function dueAgain(delivery: DeliveryRecord, now: Date): DeliveryRecord {
  const at = now.toISOString();
  const due = { queue: delivery.webhookId, dueAt: at };
  if (isOpen(delivery)) return { ...delivery, ...due };
  return { ...delivery, status: 'pending', manual: true, updatedAt: at, ...due };
}

/** Removes at most `limit` deliveries that ended too long ago or are too many; returns how many. The oldest ends go first. */
export async function purgeDeliveries(tx: Tx, now: Date, limit: number): Promise<number> {
  const oldest = new Date(now.getTime() - DELIVERY_LOG_DAYS * 86_400_000).toISOString();
  const surplus = (await tx.deliveries.count()) - DELIVERY_LOG_MAX_ROWS;
  const tooOld = await tx.deliveries.count({ where: [ENDED, { field: 'dueAt', before: oldest }] });
  const { ids } = await tx.deliveries.idsAfter({ orderBy: 'queue', where: [ENDED], limit: Math.min(limit, Math.max(0, surplus, tooOld)) });
  for (const id of ids) await tx.deliveries.remove(id);
  return ids.length;
}
