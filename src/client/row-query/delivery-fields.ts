/** What queries for deliveries can name, in the dashboard and on the command line. */
import { DELIVERY_STATUSES } from '../../contract/resources/webhooks.ts';
import type { QueryField } from './row-query.ts';

/** `lastMilliseconds`: how long the latest attempt took. */
export interface QueriedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId?: string | null;
  readonly eventType: string;
  readonly status: string;
  readonly attempts: number;
  readonly lastHttpStatus: number | null;
  /** Known to the local daemon only, as the event id is. */
  readonly lastMilliseconds?: number | null;
  readonly lastError: string | null;
  readonly updatedAt: string;
}

export const getDeliveryFields = <R extends QueriedDelivery>(
  getEndpointName: (row: R) => string,
): Readonly<Record<string, QueryField<R>>> => ({
  event: { kind: 'text', get: ({ eventType }) => eventType },
  endpoint: { kind: 'text', get: (row) => [getEndpointName(row), row.webhookId] },
  status: { kind: 'text', values: DELIVERY_STATUSES, get: ({ status }) => status },
  http: { kind: 'number', get: ({ lastHttpStatus }) => lastHttpStatus },
  took: { kind: 'milliseconds', get: ({ lastMilliseconds }) => lastMilliseconds ?? null },
  attempts: { kind: 'number', get: ({ attempts }) => attempts },
  error: { kind: 'text', get: ({ lastError }) => lastError },
  since: { kind: 'since', get: ({ updatedAt }) => Date.parse(updatedAt) },
  until: { kind: 'until', get: ({ updatedAt }) => Date.parse(updatedAt) },
});

/** The text that words are looked for in. */
export const getDeliveryText = (row: QueriedDelivery, endpointName: string): string =>
  [row.eventType, endpointName, row.status, row.lastHttpStatus ?? '', row.lastError ?? '', row.id, row.webhookId, row.eventId ?? ''].join(
    ' ',
  );
