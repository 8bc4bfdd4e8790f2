/** Endpoints and what became of their deliveries. */
import type { DeliveryRecord } from '../../../src/domain/events/records.ts';
import type { TestService } from '../service/service.ts';

export interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

/** Made over HTTP. */
export async function addWebhook(s: TestService, targetUrl: string, more: Record<string, unknown> = {}): Promise<Endpoint> {
  const draft = { name: 'Receiver', targetUrl, subscribedEvents: ['inventory.item.created', 'inventory.item.updated'], ...more };
  const { status, body, text } = await s.post('/v1/webhooks', draft);
  if (status !== 201) throw new Error(`expected 201: ${String(status)} ${text}`);
  return { id: body.data.id as string, secret: body.signingSecret as string };
}

/** Every delivery of a tenant, oldest first. */
export async function getDeliveries(s: TestService, tenantId = s.tenant.id): Promise<DeliveryRecord[]> {
  return (await s.service.store.read(tenantId, (tx) => tx.deliveries.listAfter({ limit: 100_000 }))).rows;
}

/** Resolves with all deliveries as soon as `condition` holds for them; looks again after every commit. */
export async function deliveriesWhen(s: TestService, condition: (rows: readonly DeliveryRecord[]) => boolean): Promise<DeliveryRecord[]> {
  const changed: { resolve: () => void } = { resolve: () => undefined };
  const stop = s.service.store.onCommit(() => changed.resolve());
  try {
    for (;;) {
      const next = new Promise<void>((resolve) => (changed.resolve = resolve));
      const rows = await getDeliveries(s);
      if (condition(rows)) return rows;
      await next;
    }
  } finally {
    stop();
  }
}

export const allIn =
  (...statuses: readonly string[]) =>
  (rows: readonly DeliveryRecord[]): boolean =>
    rows.length > 0 && rows.every(({ status }) => statuses.includes(status));
