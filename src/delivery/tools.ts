/** The connectivity check, and the headers of an attempt for those who want to look. decisions-api §1.8. */
import { TEST_EVENT } from '../contract/events.ts';
import { WEBHOOK_TEST_TIMEOUT_S } from '../contract/limits.ts';
import type { DeliveryRecord, Outcome } from '../domain/deliveries.ts';
import type { Clock } from '../domain/ports.ts';
import { secretsInForce } from '../domain/webhook-secrets.ts';
import type { WebhookRecord } from '../domain/webhooks.ts';
import type { Sender } from './send.ts';
import { deliveryHeaders, keyOf, testHeaders } from './sign.ts';

export interface Tools {
  check(webhook: WebhookRecord): Promise<Outcome | undefined>;
  headersOf(delivery: DeliveryRecord, webhook: WebhookRecord, body: string, at: Date): Readonly<Record<string, string>>;
}

export function deliveryTools({ sender, clock, userAgent }: { sender: Sender; clock: Clock; userAgent: string }): Tools {
  return {
    check({ id, targetUrl }) {
      const startedAt = clock.now();
      const body = Buffer.from(JSON.stringify({ event: TEST_EVENT, data: { webhookId: id, sentAt: startedAt.toISOString() } }));
      const headers = testHeaders(TEST_EVENT, userAgent);
      return sender.send({ url: targetUrl, headers, body, timeoutMs: WEBHOOK_TEST_TIMEOUT_S * 1_000, startedAt });
    },
    headersOf(delivery, webhook, body, at) {
      const keys = secretsInForce(webhook, at).map(keyOf);
      return deliveryHeaders(delivery, Math.max(1, delivery.attempts), Buffer.from(body), keys, at, userAgent);
    },
  };
}
