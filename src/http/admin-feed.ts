/** The event feed of the daemon as server-sent events: `GET /admin/feed?tenant=SLUG&types=delivery,event`, resumable with `Last-Event-ID`. */
import type { ServerRoute } from '@hapi/hapi';
import { resolveTenant } from '../api/admin/handler.ts';
import { FEED_TYPES, type FeedType } from '../contract/admin/feed.ts';
import { t } from '../contract/schema/builder.ts';
import type { FeedMessage } from './feed.ts';
import type { AdminRequestParts } from './steps/run-admin-request.ts';
import { validateQuery } from './steps/validate-request.ts';

const querySchema = t.object({ tenant: t.optional(t.string({ max: 100 })), types: t.optional(t.csv(t.enums(FEED_TYPES))) });
/** A slow client is disconnected above this backlog. It reconnects with the last id that it received. */
const BACKLOG_MAX_BYTES = 4 * 1_024 * 1_024;

export const createFeedRoute = ({ service, services, openReplies }: Required<AdminRequestParts>, path: string): ServerRoute => ({
  method: 'GET',
  path,
  handler: async (request, h) => {
    const { tenant: slug, types } = validateQuery(querySchema, request) as { tenant?: string; types?: readonly FeedType[] };
    const tenantId = slug === undefined ? undefined : (await resolveTenant(services, slug)).id;
    const { res } = request.raw;
    // The client has disconnected: no event would end the subscription.
    if (res.closed) return h.abandon;
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    res.write(': ready\n\n');
    const send = (message: FeedMessage): void => {
      if (tenantId !== undefined && message.tenantId !== null && message.tenantId !== tenantId) return;
      res.write(`id: ${message.id}\nevent: ${message.type}\ndata: ${JSON.stringify(message.data)}\n\n`);
      if (res.writableLength > BACKLOG_MAX_BYTES) res.destroy();
    };
    const unsubscribe = service.feed.subscribe(request.headers['last-event-id'] as string | undefined, send, types);
    res.once('close', unsubscribe);
    openReplies.keepOpen(res, ': \n\n');
    return h.abandon;
  },
});
