/** Traces (W3C Trace Context) through request, commit and delivery, and their spans at a collector. */
import { expect, test } from 'vitest';
import { addWebhook, allIn, deliveriesWhen } from '../../support/resources/webhooks.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { auditRows } from '../../support/service/call-trace.ts';
import { type TestService, startService } from '../../support/service/service.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;

const create = (s: TestService, traceparent?: string) =>
  s.call('POST', '/v1/items', {
    body: { name: 'Bolt' },
    headers: { 'idempotency-key': s.service.newId(), ...(traceparent === undefined ? {} : { traceparent }) },
  });

test('the traceparent of a request is in the audit row and the delivery of its change; an invalid one is ignored', async () => {
  await using receiver = await startReceiver(200);
  await using s = await startService({ deliver: true });
  await addWebhook(s, receiver.url);
  for (const traceparent of [TRACEPARENT, 'nonsense', undefined]) expect((await create(s, traceparent)).status).toBe(201);
  await deliveriesWhen(s, allIn('delivered'));
  const rows = (await auditRows(s)).filter(({ action }) => action === 'item.created');
  expect(rows.map(({ metadata }) => metadata['traceparent'])).toEqual([TRACEPARENT, undefined, undefined]);
  const sent = (await receiver.count(3)).map(({ headers }) => headers['traceparent']);
  expect(sent.filter((header) => header !== undefined)).toEqual([TRACEPARENT]);
});

interface Exported {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: { readonly code?: number };
}

test('with a collector, request, commit and delivery are spans of one trace, below that of the caller', async () => {
  await using receiver = await startReceiver(200);
  await using collector = await startReceiver((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  const spans = (): Exported[] =>
    collector.received.flatMap(({ body }) =>
      (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Exported[] }[] }[] }).resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
  const s = await startService({ deliver: true, otlpEndpoint: new URL(collector.url).origin });
  await addWebhook(s, receiver.url);
  await create(s, TRACEPARENT);
  await deliveriesWhen(s, allIn('delivered'));
  await s[Symbol.asyncDispose]();
  expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
  const traced = spans().filter(({ traceId }) => traceId === TRACE);
  const [request, commit, delivery] = ['items.create', 'commit', 'delivery'].map((name) => traced.find((span) => span.name === name));
  expect([request?.parentSpanId, commit?.parentSpanId, delivery?.parentSpanId]).toEqual([
    'b7ad6b7169203331',
    request?.spanId,
    commit?.spanId,
  ]);
  expect((await receiver.count(1))[0]?.headers['traceparent']).toBe(`00-${TRACE}-${String(delivery?.spanId)}-01`);
  expect(traced).toHaveLength(3);
});

test('a collector that does not answer delays neither requests nor the end of the service', async () => {
  const s = await startService({ otlpEndpoint: 'http://127.0.0.1:9' });
  expect((await create(s)).status).toBe(201);
  await s[Symbol.asyncDispose]();
});
