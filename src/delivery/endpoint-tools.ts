import { TEST_EVENT } from '../contract/events.ts';
import type { DeliveryRecord } from '../domain/events/records.ts';
import type { AttemptOutcome } from '../domain/events/delivery-state.ts';
import type { Clock } from '../domain/kernel/ports.ts';
import { listActiveSecrets } from '../domain/webhooks/signing-secrets.ts';
import type { WebhookRecord } from '../domain/webhooks/records.ts';
import type { Sender } from './sender.ts';
import { createCheckHeaders, createDeliveryHeaders, createSigningKey } from './signing.ts';

interface EndpointToolsOptions {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Of a connectivity check. */
  readonly timeoutMs: number;
}

interface EndpointTools {
  /** Sends the connectivity check to an endpoint. Undefined when the service is stopping. */
  sendCheck(webhook: WebhookRecord, tenantId: string): Promise<AttemptOutcome | undefined>;
  /** The headers of the last attempt, or of the first one, made at `at`. */
  buildHeaders(delivery: DeliveryRecord, webhook: WebhookRecord, body: string, at: Date): Readonly<Record<string, string>>;
}

/** Tools for users who set up an endpoint. W-8. */
export function createEndpointTools({ sender, clock, userAgent, timeoutMs }: EndpointToolsOptions): EndpointTools {
  return {
    sendCheck({ id, targetUrl }, tenantId) {
      const startedAt = clock.now(tenantId);
      const body = Buffer.from(JSON.stringify({ event: TEST_EVENT, data: { webhookId: id, sentAt: startedAt.toISOString() } }));
      const headers = createCheckHeaders(TEST_EVENT, userAgent);
      return sender.send({ url: targetUrl, headers, body, timeoutMs, startedAt });
    },
    buildHeaders(delivery, webhook, body, at) {
      const keys = listActiveSecrets(webhook, at).map(createSigningKey);
      return createDeliveryHeaders(delivery, Math.max(1, delivery.attempts), Buffer.from(body), keys, at, userAgent);
    },
  };
}
