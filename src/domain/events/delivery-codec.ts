/** The stored form of deliveries. Each event writes one row per endpoint, so the two most frequent kinds of rows are stored as short lists. */
import type { SubscribableEvent } from '../../contract/events.ts';
import type { RowCodec } from '../kernel/ports.ts';
import { createDelivery } from './delivery-state.ts';
import type { AttemptRecord, AttemptTiming, DeliveryRecord } from './records.ts';

type PendingTuple = readonly [id: string, webhookId: string, eventId: string, eventType: SubscribableEvent, createdAt: string];
type DeliveredTuple = readonly [
  ...PendingTuple,
  updatedAt: string,
  startedAt: string,
  milliseconds: number,
  httpStatus: number | null,
  ...timing: AttemptTiming | readonly [],
];

/** Writes deliveries without an attempt, and those delivered on the first attempt, as lists; all others as JSON objects. */
export const deliveryCodec: RowCodec<DeliveryRecord> = {
  encode(row) {
    if (isUnattempted(row)) return `[${toPendingJson(row)}]`;
    const [firstAttempt, ...laterAttempts] = row.history ?? [];
    if (firstAttempt === undefined || laterAttempts.length > 0 || !isDeliveredOnFirstAttempt(row, firstAttempt)) return JSON.stringify(row);
    const { at, milliseconds, httpStatus, timing = [] } = firstAttempt;
    return `[${toPendingJson(row)},"${row.updatedAt}","${at}",${[milliseconds, httpStatus, ...timing].map(String).join()}]`;
  },
  decode(text) {
    const stored: unknown = JSON.parse(text);
    if (!Array.isArray(stored)) return stored as DeliveryRecord;
    const [id, webhookId, eventId, eventType, createdAt, ...more] = stored as unknown as PendingTuple | DeliveredTuple;
    const pending = createDelivery(id, webhookId, { id: eventId, name: eventType }, createdAt);
    const [updatedAt, at, milliseconds, httpStatus, ...timing] = more;
    if (updatedAt === undefined || at === undefined || milliseconds === undefined || httpStatus === undefined) return pending;
    return {
      ...pending,
      attempts: 1,
      lastHttpStatus: httpStatus,
      updatedAt,
      history: [{ at, milliseconds, httpStatus, error: null, ...(isTiming(timing) && { timing }) }],
      status: 'delivered',
      lastError: null,
      queue: null,
      dueAt: updatedAt,
    };
  },
};

/** Rows of earlier releases have none. */
const isTiming = (values: readonly unknown[]): values is AttemptTiming => values.length > 0;

/** The JSON of a `PendingTuple` without brackets. Ids, event names and timestamps contain nothing that JSON escapes. */
const toPendingJson = ({ id, webhookId, eventId, eventType, createdAt }: DeliveryRecord): string =>
  `"${id}","${webhookId}","${eventId}","${eventType}","${createdAt}"`;

const isUnattempted = (row: DeliveryRecord): boolean =>
  row.status === 'pending' &&
  row.attempts === 0 &&
  row.manual === undefined &&
  row.history === undefined &&
  row.lastError === undefined &&
  row.lastHttpStatus === undefined &&
  row.updatedAt === row.createdAt &&
  row.queue === row.webhookId &&
  row.dueAt === row.createdAt;

const isDeliveredOnFirstAttempt = (row: DeliveryRecord, { error, httpStatus, response }: AttemptRecord): boolean =>
  row.status === 'delivered' &&
  row.attempts === 1 &&
  row.manual === undefined &&
  error === null &&
  response === undefined &&
  row.lastError === null &&
  row.lastHttpStatus === httpStatus &&
  row.queue === null &&
  row.dueAt === row.updatedAt;
