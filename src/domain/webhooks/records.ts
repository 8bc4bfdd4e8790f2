/** Stored records of webhook endpoints and their health. */
import type { SubscribableEvent } from '../../contract/events.ts';
import type { DeliveryError, WebhookStatus } from '../../contract/resources/webhooks.ts';
import type { Environment } from '../../contract/scopes.ts';
import type { SigningSecrets } from './signing-secrets.ts';

export interface WebhookRecord extends SigningSecrets {
  readonly id: string;
  readonly name: string;
  readonly targetUrl: string;
  readonly subscribedEvents: readonly SubscribableEvent[];
  readonly status: WebhookStatus;
  readonly environment: Environment;
  readonly description: string | null;
  readonly pausedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ReplayRecord {
  readonly id: string;
  readonly webhookId: string;
  readonly state: 'running' | 'completed' | 'stopped';
  /** The deliveries recorded from `since` on and before `until`. */
  readonly since: string;
  readonly until: string;
  /** Null for all. */
  readonly types: readonly SubscribableEvent[] | null;
  readonly statuses: readonly ('delivered' | 'failed' | 'discarded')[];
  /** Deliveries per second at most. */
  readonly rate: number;
  readonly selected: number;
  readonly sent: number;
  readonly failed: number;
  /** When the first and the last selected deliveries were recorded. */
  readonly oldestAt: string | null;
  readonly newestAt: string | null;
  /** The last delivery that was queued or skipped. */
  readonly after: { readonly createdAt: string; readonly id: string } | null;
  /** The deliveries that were queued last; their outcomes are not counted yet. */
  readonly batch: readonly string[];
  /** When the next ones may be queued. */
  readonly nextAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Failures of an endpoint since its last success. A healthy endpoint has no row, so that successful deliveries write none. */
export interface WebhookHealthRecord {
  /** The id of the endpoint. */
  readonly id: string;
  readonly failingSince: string;
  readonly failedAttempts: number;
  /** Of the last failed attempt. Absent in rows of releases before 0.3. */
  readonly lastError?: DeliveryError;
}
