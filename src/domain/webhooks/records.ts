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

/** Failures of an endpoint since its last success. A healthy endpoint has no row, so that successful deliveries write none. */
export interface WebhookHealthRecord {
  /** The id of the endpoint. */
  readonly id: string;
  readonly failingSince: string;
  readonly failedAttempts: number;
  /** Of the last failed attempt. Absent in rows of releases before 0.3. */
  readonly lastError?: DeliveryError;
}
