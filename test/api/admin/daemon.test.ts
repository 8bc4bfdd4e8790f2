/** Status, shutdown and integrity checks over the admin API. */
import { expect, test } from 'vitest';
import { EVENT_LOG_DAYS } from '../../../src/contract/limits.ts';
import { getCheckProgress, runCheck } from '../../../src/api/admin/data-checks/run-check.ts';
import { checkTenant } from '../../../src/domain/integrity/checks.ts';
import type { StockroomStore } from '../../../src/domain/tables.ts';
import { DEFAULT_EVENT_RETENTION, purgeEvents } from '../../../src/domain/events/event-log.ts';
import { toLevelId, toLevelRow } from '../../../src/domain/stock/levels.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { hasFileStore } from '../../support/service/service-store.ts';
import { createLocalState } from '../../../src/store/local-state/index.ts';
import { getCode, startService } from '../../support/service/service.ts';

interface Result {
  name: string;
  ok: boolean;
  detail: string;
}
const doctor = async (a: TestAdmin, query = ''): Promise<{ ok: boolean; checks: Result[] }> => {
  const reply = await a.get(`/admin/doctor${query}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.body.data;
};
const failed = ({ checks }: { checks: Result[] }) => checks.filter(({ ok }) => !ok).map(({ name }) => name);

test('status describes the daemon and its data', async () => {
  await using a = await startAdmin({ url: 'http://127.0.0.1:1', dataDir: '/data', getJournalBytes: () => 42, logFile: '/data/daemon.log' });
  await a.post('/admin/tenants', { name: 'Second' });
  await a.s.post('/v1/items', { name: 'Bolt' });
  const { data } = (await a.get('/admin/status')).body;
  expect(data).toMatchObject({
    status: 'running',
    url: 'http://127.0.0.1:1',
    dataDir: '/data',
    pid: process.pid,
    version: '0.0.0-test',
    instanceId: a.s.service.instanceId,
    testClock: true,
    journalBytes: 42,
    storeProblem: null,
    lostCommits: [],
    logFile: '/data/daemon.log',
    tenants: 2,
  });
  expect(data.rows).toMatchObject({ tenants: 2, sites: 2, units: 12, items: 1, contacts: 2, orders: 0 });
  expect(data.memoryBytes).toBeGreaterThan(1_000_000);
  await a.post('/admin/clock/advance', { by: '10d' });
  expect((await a.get('/admin/status')).body.data.uptimeSeconds).toBeLessThan(600);
});

test('status has null as the problem of a store without one', async () => {
  await using a = await startAdmin({ findStoreProblem: () => Promise.resolve(undefined) });
  expect((await a.get('/admin/status')).body.data.storeProblem).toBeNull();
});

test('status has no log file if the daemon logs to the terminal in which it runs', async () => {
  await using a = await startAdmin();
  expect((await a.get('/admin/status')).body.data.logFile).toBeNull();
});

test('members of a data directory are none, and those of a database are listed with what they report', async () => {
  await using a = await startAdmin();
  const instanceId = a.s.service.instanceId;
  expect((await a.get('/admin/members')).body).toEqual({ data: hasFileStore ? [] : [expect.objectContaining({ instanceId })] });
  const at = '2026-01-01T00:00:00.000Z';
  Object.assign(a.s.service.members, {
    list: () => Promise.resolve([{ instanceId, url: null, version: '1', startedAt: at, seenAt: at, hasTestClock: false }]),
  });
  expect((await a.get('/admin/members')).body).toEqual({
    data: [{ instanceId, url: null, version: '1', startedAt: at, seenAt: at, testClock: false }],
  });
});

test('status says why the store rejects changes', async () => {
  await using a = await startAdmin({ findStoreProblem: () => Promise.resolve('/data was deleted while in use.') });
  expect((await a.get('/admin/status')).body.data.storeProblem).toBe('/data was deleted while in use.');
});

test('shutdown responds, then stops the daemon once', async () => {
  const asked = Promise.withResolvers<number>();
  let calls = 0;
  await using a = await startAdmin({ shutdown: () => asked.resolve((calls += 1)) });
  const reply = await a.post('/admin/shutdown');
  expect(reply.body).toEqual({ data: { status: 'stopping', pid: process.pid } });
  expect(await asked.promise).toBe(1);
  expect(calls).toBe(1);
});

test('an embedded service rejects shutdown', async () => {
  await using a = await startAdmin();
  expect(getCode(await a.post('/admin/shutdown'))).toBe('NOT_ENABLED');
});

async function fill(a: TestAdmin) {
  const { id: categoryId } = (await a.post('/admin/categories?tenant=first', { name: 'Coffee' })).body.data;
  const unitId = (await a.get('/admin/units?tenant=first&search=kg')).body.data[0].id;
  const items: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const reply = await a.s.post('/v1/items', { name: `Item ${String(n)}`, sku: `SKU-${String(n)}`, categoryId, unitId, salePrice: 0.35 });
    items.push(reply.body.data.id as string);
  }
  const order = await a.s.post('/v1/orders', {
    module: 'make',
    lines: [{ kind: 'output', itemId: items[0], quantity: 2, unitPrice: 1.5 }],
  });
  expect(order.status, order.text).toBe(201);
  return { items, order: order.body.data as { id: string } };
}

test('intact data pass every integrity check, for all tenants or one', async () => {
  await using a = await startAdmin();
  await a.post('/admin/tenants', { name: 'Second' });
  await fill(a);
  const all = await doctor(a);
  expect(failed(all), JSON.stringify(all)).toEqual([]);
  expect(all.ok).toBe(true);
  expect(all.checks.map(({ name }) => name)).toEqual([
    'references',
    'unique values',
    'numbers',
    'preferred suppliers',
    'stock levels',
    'stock ledger',
    'stock documents',
    'line values',
    'order fulfilment',
    'production value',
    'order totals',
    'house contact',
    'default site',
    'ingredients',
    'order numbers',
    'change log',
    'committed and incoming',
    'ledger numbers',
    'indexes',
  ]);
  for (const { detail } of all.checks) expect(detail).toMatch(/^\d+ checked$/u);
  expect((await doctor(a, '?tenant=second')).ok).toBe(true);
  expect((await a.get('/admin/doctor?tenant=third')).status).toBe(404);
});

test('each kind of damage is found by its check and names tenant and record', async () => {
  await using a = await startAdmin();
  const { items, order } = await fill(a);
  const { store } = a.s.service;
  const tenant = a.s.tenant.id;
  const [first = '', second = '', third = ''] = items;
  const stamps = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };

  type Work = Parameters<typeof store.transact<void>>[1];
  const itemId = (await a.s.post('/v1/items', { name: 'Stocked' })).body.data.id as string;
  const posted = await stockUp(a.s, [{ itemId, quantity: 3, unitCost: 2 }]);
  const drafted = (await a.s.post('/v1/stock-documents', { type: 'issue', lines: [{ itemId, quantity: 1 }] })).body.data.id as string;
  const place = { itemId, siteId: a.s.tenant.defaultSiteId };
  const damage: readonly (readonly [string, Work, RegExp])[] = [
    [
      'references',
      async (tx) => {
        const item = await tx.items.get(first);
        if (item) await tx.items.put({ ...item, categoryId: '00000000-0000-4000-8000-000000000000' });
      },
      /^first: items \S+ references categories 00000000-\S+ as categoryId/u,
    ],
    [
      'numbers',
      async (tx) => {
        const item = await tx.items.get(second);
        if (item) await tx.items.put({ ...item, salePrice: 0.5 });
      },
      /has 0\.5 in salePrice/u,
    ],
    [
      'preferred suppliers',
      async (tx) => {
        const item = await tx.items.get(third);
        if (item) await tx.items.put({ ...item, supplierId: a.s.tenant.houseContactId });
      },
      /item SKU-2 has supplier \S+, but its preferred supplier links are none/u,
    ],
    [
      'stock documents',
      async (tx) => {
        const { rows } = await tx.stockDocumentLines.listAfter({ where: [{ field: 'documentId', equals: posted }], limit: 1 });
        if (rows[0]) await tx.stockDocumentLines.put({ ...rows[0], postedQuantity: 4_000_000 });
      },
      /AD-000001 line 1 has postedQuantity 4000000, but its ledger entries add up to 3000000/u,
    ],
    [
      'line values',
      async (tx) => {
        const { rows } = await tx.stockDocumentLines.listAfter({ where: [{ field: 'documentId', equals: drafted }], limit: 1 });
        const entry = await tx.ledger.get('1');
        if (rows[0] && entry) await tx.ledger.put({ ...entry, documentLineId: rows[0].id });
      },
      /the document lines of level \S+ \S+ add up to a value of 0, but its stockValue is 6000000/u,
    ],
    [
      'committed and incoming',
      async (tx) => {
        const level = await tx.stockLevels.get(toLevelId(place));
        const item = await tx.items.get(itemId);
        if (level && item) await tx.stockLevels.put(toLevelRow(place, item, { ...level, incoming: 1 }, stamps));
      },
      /has committed 0 and incoming 1, expected 0 and 0 from orders and documents/u,
    ],
    [
      'stock levels',
      async (tx) => {
        const level = await tx.stockLevels.get(toLevelId(place));
        if (level) await tx.stockLevels.put({ ...level, onHand: level.onHand + 1 });
      },
      /does not match its ledger entries and item in onHand/u,
    ],
    [
      'stock ledger',
      async (tx) => {
        const entry = await tx.ledger.get('1');
        if (entry) await tx.ledger.put({ ...entry, reversalOf: 1 });
      },
      /ledger entry 1 is not the opposite of entry 1/u,
    ],
    ['ledger numbers', (tx) => tx.counters.put({ id: 'ledger', value: 9 }), /the newest ledger entry is 1, its counter is 9/u],
    [
      'order fulfilment',
      async (tx) => {
        const { rows } = await tx.orderLines.listAfter({ where: [{ field: 'orderId', equals: order.id }], limit: 1 });
        if (rows[0]) await tx.orderLines.put({ ...rows[0], posted: { stock: 1, quantity: 1 } });
      },
      /line 1 of order \S+ has 1 posted of item \S+, but its documents have 0/u,
    ],
    [
      'order totals',
      async (tx) => {
        const record = await tx.orders.get(order.id);
        if (record) await tx.orders.put({ ...record, total: record.total + 1 });
      },
      /^first: order MO-000001 has total \d+, but its lines add up to \d+$/u,
    ],
    [
      'house contact',
      async (tx) => {
        const contact = await tx.contacts.get(a.s.tenant.houseContactId);
        if (contact) await tx.contacts.put({ ...contact, id: a.s.service.newId() });
      },
      /isHouse is set on \S+, \S+/u,
    ],
    [
      'default site',
      async (tx) => {
        const site = await tx.sites.get(a.s.tenant.defaultSiteId);
        if (site) await tx.sites.put({ ...site, isDefault: false });
      },
      /isDefault is set on no site/u,
    ],
    [
      'ingredients',
      async (tx) => {
        const row = { quantity: 1, perQuantity: 1, unitId: null, wastePercent: 0, position: 1, notes: null, ...stamps };
        await tx.ingredients.put({ ...row, id: a.s.service.newId(), itemId: first, ingredientItemId: second });
        await tx.ingredients.put({ ...row, id: a.s.service.newId(), itemId: second, ingredientItemId: third });
        await tx.ingredients.put({ ...row, id: a.s.service.newId(), itemId: third, ingredientItemId: first });
      },
      /contains itself through/u,
    ],
    ['order numbers', (tx) => tx.counters.put({ id: 'orders.make', value: 99 }), /99 numbers were assigned to make orders/u],
    [
      'change log',
      async (tx) => {
        const { rows } = await tx.events.listAfter({ orderBy: 'position', limit: 3 });
        await tx.events.remove(rows[1]?.id ?? '');
      },
      /event 1 of the change log is followed by 3/u,
    ],
  ];
  for (const [count, [name, work, detail]] of damage.entries()) {
    await store.transact(tenant, work);
    const result = await doctor(a);
    expect(result.ok).toBe(false);
    expect(failed(result).toSorted()).toEqual(
      damage
        .slice(0, count + 1)
        .map(([each]) => each)
        .toSorted(),
    );
    expect(result.checks.find((check) => check.name === name)?.detail).toMatch(detail);
  }
});

test('doctor reports events whose place in the change log is not the one that they state', async () => {
  await using a = await startAdmin();
  const { service, tenant } = a.s;
  for (const name of ['One', 'Two']) await a.s.post('/v1/contacts', { name });
  const [one, two] = await a.s.events();
  await service.store.transact(tenant.id, async (tx) => {
    if (one && two) for (const row of [one, two]) await tx.events.put({ ...row, position: row === one ? two.position : one.position });
  });
  expect((await doctor(a)).checks.find(({ name }) => name === 'change log')?.detail).toMatch(
    /event 1 of the change log, \S+, states the sequence 2 .*event 2 of the change log, \S+, states the sequence 1/u,
  );
});

test('a change log that dropped old events passes, including around an event of an open delivery', async () => {
  await using a = await startAdmin();
  const { clock, service, tenant } = a.s;
  for (const name of ['One', 'Two', 'Three', 'Four']) await a.s.post('/v1/contacts', { name });
  const kept = (await a.s.events())[1]?.id ?? '';
  const later = new Date(clock.now().getTime() + (EVENT_LOG_DAYS + 1) * 86_400_000);
  await service.store.transact(tenant.id, (tx) =>
    purgeEvents(tx, later, { limit: 100, retention: DEFAULT_EVENT_RETENTION, keep: new Set([kept]) }),
  );
  expect((await a.s.events()).map(({ position }) => position)).toEqual([2, 4]);
  expect(failed(await doctor(a))).toEqual([]);
  for (const name of ['Five', 'Six']) await a.s.post('/v1/contacts', { name });
  const lost = (await a.s.events(4))[0]?.id ?? '';
  await service.store.transact(tenant.id, (tx) => tx.events.remove(lost));
  expect((await doctor(a)).checks.find(({ name }) => name === 'change log')?.detail).toMatch(/event 4 of the change log is followed by 6/u);
});

test('a row that is written between two reads of the checks is not reported as damage', async () => {
  await using s = await startService();
  await s.post('/v1/items', { name: 'Before' });
  const { store } = s.service;
  let counter = 0;
  const read: Parameters<typeof checkTenant>[0] = async (work) => {
    const result = await store.read(s.tenant.id, work);
    expect((await s.post('/v1/items', { name: `During ${String((counter += 1))}` })).status).toBe(201);
    return result;
  };
  const findings = await checkTenant(read, s.tenant);
  expect(findings.flatMap(({ problems }) => problems)).toEqual([]);
});

test('concurrent writes are not reported as damage', async () => {
  await using a = await startAdmin();
  await fill(a);
  const enough = new AbortController();
  const writer = (async () => {
    for (let n = 0; !enough.signal.aborted; n += 1) expect((await a.s.post('/v1/items', { name: `During ${String(n)}` })).status).toBe(201);
  })();
  try {
    for (let round = 0; round < 10; round += 1) {
      const result = await doctor(a);
      expect(failed(result), JSON.stringify(result)).toEqual([]);
    }
  } finally {
    enough.abort();
    await writer;
  }
});

test('the same check is run once for requests that arrive while it is in progress', async () => {
  let runs = 0;
  const store = {} as StockroomStore;
  const { promise, resolve } = Promise.withResolvers<{ ok: boolean; checks: [] }>();
  const check = () => {
    runs += 1;
    return promise;
  };
  const checked = { store, leases: createLocalState().leases };
  const [first, second] = [runCheck(checked, '', check), runCheck(checked, '', check)];
  const other = runCheck(checked, 'tenant', () => Promise.resolve({ ok: false, checks: [] }));
  resolve({ ok: true, checks: [] });
  expect(await Promise.all([first, second, other])).toEqual([
    { ok: true, checks: [] },
    { ok: true, checks: [] },
    { ok: false, checks: [] },
  ]);
  expect(runs).toBe(1);
});

test('doctor reports how many rows of which tenant it has read, and nothing while it does not run', async () => {
  await using a = await startAdmin();
  for (const name of ['One', 'Two', 'Three']) await a.s.post('/v1/contacts', { name });
  const { store } = a.s.service;
  const getProgress = async () => (await a.get('/admin/doctor/progress')).body.data as unknown;
  const idle = { status: 'idle', tenant: null, done: 0, total: 0 };
  expect(await getProgress()).toEqual(idle);
  const seen: ReturnType<typeof getCheckProgress>[] = [];
  const watch = async (): Promise<void> => {
    for (let isDone = false; !isDone; await new Promise((resolve) => setImmediate(resolve))) {
      const progress = getCheckProgress(store);
      if (progress.done > (seen.at(-1)?.done ?? 0)) seen.push(progress);
      isDone = seen.length > 0 && progress.status === 'idle';
    }
  };
  await Promise.all([doctor(a), watch()]);
  const { slug } = a.s.tenant;
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.every(({ status, tenant, done, total }) => status === 'running' && tenant === slug && done <= total)).toBe(true);
  expect(seen.at(-1)).toMatchObject({ done: seen.at(-1)?.total });
  expect(await getProgress()).toEqual(idle);
});
