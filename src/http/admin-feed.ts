/** The event feed of the daemon as server-sent events: `GET /admin/feed?tenant=SLUG&types=delivery,event`, resumable with `Last-Event-ID`. */
import type { Server } from '@hapi/hapi';
import { type AdminServices, resolveTenant } from '../api/admin/handler.ts';
import { FEED_TYPES, type FeedType } from '../contract/admin/feed.ts';
import { FEED_PATH } from '../contract/admin/webhooks.ts';
import { t } from '../contract/schema/builder.ts';
import type { FeedMessage } from './feed.ts';
import type { OpenReplies } from './open-replies.ts';
import type { Service } from './service.ts';
import { validateQuery } from './steps/validate-request.ts';

const querySchema = t.object({ tenant: t.optional(t.string({ max: 100 })), types: t.optional(t.csv(t.enums(FEED_TYPES))) });
/** A slow client is disconnected above this backlog. It reconnects with the last id that it received. */
const BACKLOG_MAX_BYTES = 4 * 1_024 * 1_024;

export function addFeedRoute(
  server: Server,
  service: Service,
  services: AdminServices,
  openReplies: OpenReplies,
  toPath: (path: string) => string,
): void {
  server.route({
    method: 'GET',
    path: toPath(FEED_PATH),
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
}
