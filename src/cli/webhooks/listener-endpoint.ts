/** The endpoint of `webhooks listen`: active while the command runs, disabled between runs, so that its deliveries stay. */
import { basename } from 'node:path';
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { SubscribableEvent } from '../../contract/events.ts';
import { WEBHOOK_NAME_MAX_CHARS } from '../../contract/limits.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { createWebhook, updateWebhook } from '../../contract/resources/webhooks.ts';
import { sanitize } from '../../platform/terminal-text.ts';

/** An endpoint with its signing secret. */
export type OpenedEndpoint = ResultOf<typeof createWebhook> | ResultOf<typeof updateWebhook>;

const NAME = 'stockroom webhooks listen';

/** `shop (stockroom webhooks listen)`: every project has an endpoint, and tables shorten names at their end. */
function formatName(project: string): string {
  const room = WEBHOOK_NAME_MAX_CHARS - `${NAME} ()`.length;
  const folder = Array.from(sanitize(basename(project)).trim())
    .slice(0, room)
    .join('');
  return folder === '' ? NAME : `${folder} (${NAME})`;
}

export async function createEndpoint(
  client: Client,
  { project, targetUrl, events }: { readonly project: string; readonly targetUrl: string; readonly events: readonly SubscribableEvent[] },
): Promise<OpenedEndpoint> {
  const description = 'Disabled when the command ends; the next run reuses it.';
  const body = { name: formatName(project), targetUrl, subscribedEvents: events, description };
  return (await client.call(createWebhook, { body })).body;
}

/** Activates the endpoint of an earlier run, with a new secret. Undefined if it does not exist any more. */
export function reuseEndpoint(
  client: Client,
  id: string,
  targetUrl: string,
  events: readonly SubscribableEvent[],
): Promise<OpenedEndpoint | undefined> {
  const params = { webhook_id: id };
  return ifExists(async () => {
    await client.call(updateWebhook, { params, body: { targetUrl, subscribedEvents: events, status: 'active' } });
    return (await client.call(updateWebhook, { params, body: { rotateSecret: true } })).body;
  });
}

/** Disables an endpoint, if it still exists. Open deliveries are discarded, those that were attempted stay. */
export async function disableEndpoint(client: Client, id: string): Promise<void> {
  await ifExists(() => client.call(updateWebhook, { params: { webhook_id: id }, body: { status: 'disabled' } }));
}

async function ifExists<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
