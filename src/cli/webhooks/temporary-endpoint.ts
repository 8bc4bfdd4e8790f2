/** The endpoint that `webhooks listen` creates for as long as it runs. */
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { SubscribableEvent } from '../../contract/events.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { createWebhook, deleteWebhook, updateWebhook } from '../../contract/resources/webhooks.ts';

/** An endpoint with its signing secret. */
export type CreatedEndpoint = ResultOf<typeof createWebhook> | ResultOf<typeof updateWebhook>;

export async function createEndpoint(client: Client, targetUrl: string, events: readonly SubscribableEvent[]): Promise<CreatedEndpoint> {
  const description = 'Temporary: removed when the command ends.';
  const body = { name: 'stockroom webhooks listen', targetUrl, subscribedEvents: events, description };
  return (await client.call(createWebhook, { body })).body;
}

/** Takes over the endpoint of a run that was killed, with a new secret. Undefined if it does not exist any more. */
export async function takeOverEndpoint(
  client: Client,
  id: string,
  targetUrl: string,
  events: readonly SubscribableEvent[],
): Promise<CreatedEndpoint | undefined> {
  const params = { webhook_id: id };
  try {
    await client.call(updateWebhook, { params, body: { targetUrl, subscribedEvents: events, status: 'active' } });
    return (await client.call(updateWebhook, { params, body: { rotateSecret: true } })).body;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Deletes an endpoint, if it still exists. */
export async function removeEndpoint(client: Client, id: string): Promise<void> {
  try {
    await client.call(deleteWebhook, { params: { webhook_id: id } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
