/** kill -9 during approvals and order completions: all data are consistent, and each acknowledged posting exists once. */
import { expect, test } from 'vitest';
import { Pool } from 'undici';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { isLongRun } from '../../support/long-run.ts';

const DOCUMENTS = 60;
/** Acknowledged postings after which the daemon is killed, in each round. */
const KILL_AFTER = isLongRun ? [9, 23, 41] : [23];
const TIER = ['--tier', 'bulk=1000000'];

interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

let serial = 0;

async function call(pool: Pool, key: string, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Reply> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': `stock-crash-${String((serial += 1))}` };
  const reply = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { status: reply.statusCode, body: await reply.body.json() };
}

async function made(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  expect(status, JSON.stringify(body)).toBe(201);
  return (body as { data: { id: string } }).data.id;
}

async function doctor(home: Home): Promise<unknown> {
  const { exit, body } = await home.json(['doctor']);
  expect(exit, JSON.stringify(body)).toBe(0);
  return body;
}

test('approvals interrupted by kill -9 leave consistent data', async () => {
  await using home = await makeHome();
  let daemon = await home.start(TIER);
  const { body: keyBody } = await home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk', '--save']);
  const key = (keyBody as { secret: string }).secret;
  let pool = new Pool(daemon.url ?? '', { connections: 8 });
  const item = await made(call(pool, key, 'POST', '/v1/items', { name: 'Bolt', sku: 'B-1' }));
  const customer = await made(call(pool, key, 'POST', '/v1/contacts', { name: 'Shop', contactType: 'customer' }));
  // No process listens there: the deliveries stay in the outbox.
  await made(
    call(pool, key, 'POST', '/v1/webhooks', {
      name: 'Unreachable',
      targetUrl: 'http://127.0.0.1:9/',
      subscribedEvents: ['stock_document.updated', 'order.updated'],
    }),
  );
  let onHand = 0;
  for (const killAfter of KILL_AFTER) {
    /** What a posting does to the stock, by document or order. */
    const effects = new Map<string, number>();
    for (let at = 0; at < DOCUMENTS; at += 1) {
      const isOrder = at % 5 === 4;
      if (isOrder) {
        const lines = [{ itemId: item, quantity: 1 }];
        effects.set(
          `order ${await made(call(pool, key, 'POST', '/v1/orders', { module: 'sell', contactId: customer, status: 'open', lines }))}`,
          -1,
        );
      } else {
        const id = await made(
          call(pool, key, 'POST', '/v1/stock-documents', { type: 'receipt', lines: [{ itemId: item, quantity: 3, unitCost: 2 }] }),
        );
        expect((await call(pool, key, 'POST', `/v1/stock-documents/${id}/submit`, {})).status).toBe(200);
        effects.set(`document ${id}`, 3);
      }
    }
    const acknowledged = new Set<string>();
    let killed = false;
    await Promise.all(
      [...effects.keys()].map(async (name) => {
        const [kind, id = ''] = name.split(' ');
        try {
          const reply =
            kind === 'order'
              ? await call(pool, key, 'PATCH', `/v1/orders/${id}`, { status: 'completed' })
              : await call(pool, key, 'POST', `/v1/stock-documents/${id}/approve`, {});
          if (reply.status === 200) acknowledged.add(name);
          else expect([name, reply.body.error.code]).toEqual([name, 'INSUFFICIENT_STOCK']);
        } catch (error) {
          if (!killed) throw error;
        }
        if (!killed && acknowledged.size >= killAfter) {
          killed = true;
          process.kill(daemon.pid ?? 0, 'SIGKILL');
        }
      }),
    );
    expect(killed).toBe(true);
    await pool.destroy();

    daemon = await home.start(TIER);
    pool = new Pool(daemon.url ?? '', { connections: 8 });
    await doctor(home);
    const done = new Set<string>();
    for (const name of effects.keys()) {
      const [kind, id = ''] = name.split(' ');
      const { data } = (await call(pool, key, 'GET', kind === 'order' ? `/v1/orders/${id}` : `/v1/stock-documents/${id}`)).body as {
        data: { status: string };
      };
      if (data.status === 'approved' || data.status === 'completed') done.add(name);
    }
    for (const name of acknowledged) expect([name, done.has(name)]).toEqual([name, true]);
    for (const name of done) onHand += effects.get(name) ?? 0;
    const [level] = (await call(pool, key, 'GET', `/v1/stock-levels?item_id=${item}`)).body.data as { onHand: number }[];
    expect(level?.onHand ?? 0).toBe(onHand);
    // The rest is carried out now, and still everything agrees.
    for (const name of effects.keys()) {
      if (done.has(name)) continue;
      const [kind, id = ''] = name.split(' ');
      const { status } =
        kind === 'order'
          ? await call(pool, key, 'PATCH', `/v1/orders/${id}`, { status: 'completed' })
          : await call(pool, key, 'POST', `/v1/stock-documents/${id}/approve`, {});
      if (status === 200) onHand += effects.get(name) ?? 0;
    }
    await doctor(home);
  }
  // Every posting left exactly one delivery of its event: one per document, one per order.
  const [endpoint] = (await call(pool, key, 'GET', '/v1/webhooks')).body.data as { id: string }[];
  const of = (type: string) => call(pool, key, 'GET', `/v1/webhooks/${endpoint?.id ?? ''}/deliveries?event_type=${type}&page_size=1`);
  const documents = (await call(pool, key, 'GET', '/v1/stock-documents?type=receipt&status=approved&page_size=1')).body.pagination
    .total as number;
  const orders = (await call(pool, key, 'GET', '/v1/orders?module=sell&status=completed&page_size=1')).body.pagination.total as number;
  // A receipt was submitted and approved: two events. Completing an order has one event of the order and one of its document.
  expect((await of('stock_document.updated')).body.pagination.total).toBe(documents * 2 + orders);
  expect((await of('order.updated')).body.pagination.total).toBe(orders);
  await pool.destroy();
});
