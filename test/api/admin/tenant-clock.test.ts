/** The clock of one tenant: what is moved with it, and that no other tenant notices. S-4. */
import { expect, test } from 'vitest';
import { type TestControl, startControl } from '../../support/service/control.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';

const HOUR_MS = 3_600_000;
const WAIT = { timeout: 20_000 };

interface Copy {
  readonly id: string;
  readonly slug: string;
  readonly key: string;
}

/** Copies of the first tenant. */
async function makeCopies(c: TestControl, slugs: readonly string[], template = c.s.tenant.slug): Promise<Copy[]> {
  const copies: Copy[] = [];
  for (const slug of slugs) {
    const { status, body, text } = await c.post('/control/tenants', { template, slug });
    expect(status, text).toBe(201);
    copies.push({ id: body.data.id, slug, key: body.secret });
  }
  return copies;
}

const move = async (c: TestControl, { slug }: Pick<Copy, 'slug'>, body: object) =>
  (await c.post(`/control/tenants/${slug}/clock`, body)).body;
/** How far the tenant is ahead of the service, by what it stores. */
async function readAheadMs({ s }: TestControl, { key }: Copy): Promise<number> {
  const before = s.clock.now().getTime();
  const { data } = (await s.post('/v1/items', { name: 'Dated' }, { key })).body;
  return Date.parse(data.createdAt) - before;
}

test('a moved clock of a tenant lets only its deliveries be retried', async () => {
  await using receiver = await startReceiver(500);
  await using c = await startControl({ deliver: true, webhooks: { scheduleSeconds: [3_600, 3_600], minimumMs: 0 } });
  const copies = await makeCopies(c, ['ahead', 'other']);
  const [ahead, other] = copies as [Copy, Copy];
  for (const { slug, key } of copies) {
    const webhook = { name: 'w', targetUrl: `${receiver.url}/${slug}`, subscribedEvents: ['inventory.item.created'] };
    expect((await c.s.post('/v1/webhooks', webhook, { key })).status).toBe(201);
    expect((await c.s.post('/v1/items', { name: 'Bolt' }, { key })).status).toBe(201);
  }
  const readAttempts = async ({ slug }: Copy): Promise<number[]> =>
    (await c.get(`/control/deliveries?tenant=${slug}`)).body.data.map(({ attempts }: { attempts: number }) => attempts);
  await expect.poll(() => Promise.all(copies.map(readAttempts)), WAIT).toEqual([[1], [1]]);
  expect((await move(c, ahead, { by: '2h' })).data).toMatchObject({ aheadSeconds: 7_200, offsetSeconds: 7_200 });
  await expect.poll(() => readAttempts(ahead), WAIT).toEqual([2]);
  expect((await readAttempts(other))[0]).toBe(1);
  expect(receiver.received.map(({ path }) => path.split('/').at(-1)).slice(2)).toEqual(['ahead']);
  const sentAt = receiver.received
    .filter(({ path }) => path.endsWith('ahead'))
    .map(({ headers }) => Number(headers['x-service-timestamp']));
  expect(sentAt[1]! - sentAt[0]!).toBeGreaterThanOrEqual(7_200);
  // The wait for deliveries follows the clock of each tenant, too.
  expect((await c.get('/control/wait?for=idle&timeout=5s')).status).toBe(200);
  await move(c, other, { at: new Date(c.s.clock.now().getTime() + 2 * HOUR_MS).toISOString() });
  await expect.poll(() => readAttempts(other), WAIT).toEqual([2]);
});

test('keys, records, reads and limits of a tenant follow its clock, and those of others do not', async () => {
  await using c = await startControl({ tiers: { elevated: 1_000, free: 1_000 } });
  const [ahead, other] = (await makeCopies(c, ['ahead', 'other'])) as [Copy, Copy];
  const addKey = async ({ slug }: Copy) => (await c.post(`/control/keys?tenant=${slug}`, { allScopes: true, expiresIn: '1h' })).body.secret;
  const [keyAhead, keyOther] = [await addKey(ahead), await addKey(other)];
  const body = { name: 'Once' };
  const send = ({ key }: Copy) => c.s.post('/v1/items', body, { key, idempotencyKey: 'once' });
  const [firstAhead, firstOther] = [(await send(ahead)).body.data.id, (await send(other)).body.data.id];
  expect((await send(ahead)).body.data.id).toBe(firstAhead);

  const countReplies = () => Promise.all([ahead, other].map(({ id }) => c.s.service.store.read(id, (tx) => tx.idempotency.count())));
  expect(await countReplies()).toEqual([1, 1]);
  await move(c, ahead, { by: '25h' });
  await expect.poll(countReplies, WAIT).toEqual([0, 1]);
  const status = async (key: string) => (await c.s.get('/v1/items', { key })).status;
  expect([await status(keyAhead), await status(keyOther), await status(ahead.key)]).toEqual([401, 200, 200]);
  const { data } = (await c.get('/control/keys?tenant=ahead')).body;
  expect(data.map((key: { status: string }) => key.status).toSorted()).toEqual(['active', 'expired']);
  expect(await readAheadMs(c, ahead)).toBeGreaterThanOrEqual(25 * HOUR_MS);
  expect(await readAheadMs(c, other)).toBeLessThan(HOUR_MS);
  // A stored reply has expired.
  expect((await send(ahead)).body.data.id).not.toBe(firstAhead);
  expect((await send(other)).body.data.id).toBe(firstOther);
  expect((await c.get('/control/clock')).body.data.offsetSeconds).toBe(0);
  expect((await c.get('/control/tenants/other/clock')).body.data.aheadSeconds).toBe(0);
  // Tables of the service do not get the time of the tenant: a new tenant has that of the service.
  const [later] = (await makeCopies(c, ['later'])) as [Copy];
  expect(Date.parse((await c.get('/control/tenants/later')).body.data.createdAt) - c.s.clock.now().getTime()).toBeLessThan(HOUR_MS);
  expect(await readAheadMs(c, later)).toBeLessThan(HOUR_MS);
});

test('the clock of a tenant is kept over a restart', async () => {
  await using c = await startControl();
  const [ahead] = (await makeCopies(c, ['ahead'])) as [Copy];
  await move(c, ahead, { by: '2h' });
  await move(c, ahead, { by: '1h' });
  await c.s.stop();
  c.s.clock.setAheadMs(ahead.id, 0);
  await c.s.start();
  expect(c.s.clock.getAheadMs(ahead.id)).toBe(3 * HOUR_MS);
  expect(await readAheadMs(c, ahead)).toBeGreaterThanOrEqual(3 * HOUR_MS);
});

test('a copy starts with the clock of its template, and a reset puts the clock back', async () => {
  await using c = await startControl();
  const [ahead] = (await makeCopies(c, ['ahead'])) as [Copy];
  await move(c, ahead, { by: '3h' });
  expect(await readAheadMs(c, ahead)).toBeGreaterThanOrEqual(3 * HOUR_MS);
  const [copy] = (await makeCopies(c, ['copy'], 'ahead')) as [Copy];
  expect(await readAheadMs(c, copy)).toBeGreaterThanOrEqual(3 * HOUR_MS);
  expect(Date.parse((await c.get('/control/tenants/copy')).body.data.createdAt) - c.s.clock.now().getTime()).toBeGreaterThan(2 * HOUR_MS);
  await move(c, copy, {});
  expect(await readAheadMs(c, copy)).toBeLessThan(HOUR_MS);
  expect((await c.post('/control/tenants/ahead/reset')).status).toBe(200);
  expect((await c.get('/control/tenants/ahead/clock')).body.data.aheadSeconds).toBe(0);
  expect(await readAheadMs(c, ahead)).toBeLessThan(HOUR_MS);
  // A copy that fails leaves none.
  await move(c, copy, { by: '1h' });
  expect((await c.post('/control/tenants', { template: 'copy', slug: 'ahead' })).status).toBe(409);
  expect(c.s.clock.listTenants()).toEqual([copy.id]);
});

test('wrong times are rejected by field, and the clock stays', async () => {
  await using c = await startControl();
  const fail = async (body: object) => (await move(c, c.s.tenant, body)).error.fields;
  expect(await fail({ by: '1h', at: '2030-01-01T00:00:00Z' })).toMatchObject([{ path: '/at', code: 'not_allowed' }]);
  expect(await fail({ by: 'soon' })).toMatchObject([{ path: '/by' }]);
  expect(await fail({ at: '1969-12-31T23:59:59Z' })).toMatchObject([{ path: '/at', code: 'too_small' }]);
  expect((await c.post('/control/tenants/none/clock', { by: '1h' })).status).toBe(404);
  expect((await c.get(`/control/tenants/${c.s.tenant.slug}/clock`)).body.data).toMatchObject({ aheadSeconds: 0, offsetSeconds: 0 });
});
