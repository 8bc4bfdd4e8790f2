/** The feed of the daemon as server-sent events: `GET /admin/feed?tenant=SLUG&types=delivery,event`, resumed by `Last-Event-ID`. */
import type { Server } from '@hapi/hapi';
import { type Plane, chosenTenant } from '../api/admin/call.ts';
import { FEED_PATH } from '../contract/admin/webhooks.ts';
import { t } from '../contract/schema.ts';
import type { FeedMessage, Service } from './service.ts';
import { checkOf, validate } from './validate.ts';

const TYPES = ['delivery', 'event', 'request', 'limit', 'faults', 'gap'] as const satisfies readonly FeedMessage['type'][];
const query = checkOf('query', t.object({ tenant: t.optional(t.string({ max: 100 })), types: t.optional(t.csv(t.enums(TYPES))) }));
/** So often something is sent, so that both sides notice a broken connection. */
const HEARTBEAT_MS = 15_000;
/** A reader that does not keep up is cut off; it comes back with the last id it saw. */
const BACKLOG_MAX_BYTES = 4 * 1_024 * 1_024;

export function addFeed(server: Server, service: Service, plane: Plane): void {
  const open = new Set<() => void>();
  server.ext('onPreStop', () => {
    for (const end of open) end();
  });
  server.route({
    method: 'GET',
    path: FEED_PATH,
    handler: async (request, h) => {
      const { tenant: slug, types = TYPES } = validate(query, request.query) as { tenant?: string; types?: readonly string[] };
      const tenantId = slug === undefined ? undefined : (await chosenTenant(plane, slug)).id;
      const { res } = request.raw;
      res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      res.write(': ready\n\n');
      const tell = (message: FeedMessage): void => {
        if (tenantId !== undefined && message.tenantId !== null && message.tenantId !== tenantId) return;
        // A gap is told to everybody.
        if (message.type !== 'gap' && !types.includes(message.type)) return;
        res.write(`id: ${message.id}\nevent: ${message.type}\ndata: ${JSON.stringify(message.data)}\n\n`);
        if (res.writableLength > BACKLOG_MAX_BYTES) res.destroy();
      };
      const stop = service.feed.follow(request.headers['last-event-id'] as string | undefined, tell);
      const beat = setInterval(() => res.write(': \n\n'), HEARTBEAT_MS);
      const end = (): void => void res.end();
      open.add(end);
      res.once('close', () => {
        stop();
        clearInterval(beat);
        open.delete(end);
      });
      return h.abandon;
    },
  });
}
