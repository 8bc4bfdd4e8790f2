/** The live demo: simulated business through the API of a demo tenant. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createMethods } from '../../src/client/methods.ts';
import { createHttpTransport } from '../../src/client/transport/transport.ts';
import { openBusiness } from '../../src/cli/live-demo/business.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import { getDemoTenantId } from '../../src/demo/apply-scenario.ts';
import { createSeededRandom } from '../../src/demo/seeded-random.ts';
import { startAdmin } from '../support/service/admin.ts';

const kestrel = getDemoTenantId('kestrel-coffee');
const EVENTS = 240;
/** Stock is looked at after one of so many events. */
const SAMPLED = 20;

test('every kind of event happens, nothing is oversold, open orders stay bounded, and all checks pass', async () => {
  await using a = await startAdmin();
  await a.s.service.demo.load();
  const key = await a.s.addKey({ tenantId: kestrel });
  const client = createClient({
    transport: createHttpTransport({ url: a.s.url }),
    key,
  });
  const api = createMethods(client, OPERATIONS);
  let business = await openBusiness(api, createSeededRandom(7));
  const counts = new Map<string, number>();
  const oversold: string[] = [];
  const listOversold = async () => {
    const { data } = await api.stockLevels.list({ low_stock: true, page_size: 200 });
    return data.filter(({ available }) => (available ?? 0) < 0).map(({ item }) => item.name);
  };
  for (let count = 0; count < EVENTS; count += 1) {
    const event = await business.next();
    if (process.env['SHOW']) console.log(event?.number.padEnd(12), event?.text);
    expect(event?.text).toMatch(/\S/u);
    counts.set(event?.kind ?? '', (counts.get(event?.kind ?? '') ?? 0) + 1);
    if (count % SAMPLED === 0) oversold.push(...(await listOversold()));
    // A second run continues where the first one was interrupted.
    if (count === EVENTS / 2) business = await openBusiness(api, createSeededRandom(8));
  }
  if (process.env['SHOW']) console.log(counts);
  expect(oversold).toEqual([]);
  // A shop with enough stock has no order that waits.
  counts.delete('order_waiting');
  expect([...counts.keys()].toSorted()).toEqual([
    'order_cancelled',
    'order_packed',
    'order_received',
    'order_shipped',
    'production_completed',
    'production_ordered',
    'purchase_ordered',
    'purchase_received',
    'stock_counted',
    'stock_low',
  ]);
  // The last part of the run is like the first.
  expect(counts.get('order_shipped')).toBeGreaterThan(EVENTS / 10);
  for (const module of ['sell', 'buy', 'make'] as const) {
    const { pagination } = await api.orders.list({ module, status: ['open', 'in_progress', 'waiting'], search: 'Live demo' });
    expect(pagination.total).toBeLessThanOrEqual(12);
  }
  const { data: checks } = (await a.get('/admin/doctor?tenant=kestrel-coffee')).body;
  expect(checks.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
}, 60_000);
