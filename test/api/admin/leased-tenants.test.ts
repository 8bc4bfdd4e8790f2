/** Copies of a tenant that test suites lease, and what is left of them. */
import { once } from 'node:events';
import fs from 'node:fs';
import { request } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type TestControl, startControl } from '../../support/service/control.ts';

const COPIES = 40;
const SHOP = {
  slug: 'shop',
  name: 'Shop',
  plan: 'enterprise',
  tier: 'elevated',
  items: [{ sku: 'BOLT', name: 'Bolt' }],
  stock: [{ item: 'BOLT', quantity: 10, unitCost: 1 }],
  webhooks: [{ name: 'sync', targetUrl: 'https://shop.example/hooks', subscribedEvents: ['order.created'] }],
};

const countTenants = async (c: TestControl) => (await c.get('/control/tenants')).body.data.length as number;

/** A copy and its key, until its connection ends. */
async function lease({ url, token }: TestControl, template: string): Promise<{ readonly key: string; readonly end: () => void }> {
  const { body } = await request(`${url}/control/tenants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ template, lease: true }),
  });
  const [chunk] = (await once(body, 'data')) as [Buffer];
  const { secret } = JSON.parse(chunk.toString()) as { secret: string };
  return { key: secret, end: () => void body.destroy() };
}

async function useCopy(c: TestControl): Promise<void> {
  const { key, end } = await lease(c, 'shop');
  expect((await c.s.post('/v1/items', { name: 'Nut' }, { key })).status).toBe(201);
  expect((await c.s.get('/v1/items?search=bolt&sort=name', { key })).body.data).toHaveLength(1);
  end();
}

test('the store keeps nothing in memory of leased copies that were removed', async () => {
  await using c = await startControl({ deliver: true });
  expect((await c.post('/control/fixtures', { tenants: [SHOP] })).status).toBe(200);
  const getKept = async () => {
    await c.s.service.usage.save(c.s.service.store);
    expect(await countTenants(c)).toBe(2);
    const { partitions, tenants, rows } = c.s.service.files!.getStats();
    return { partitions, tenants, rows };
  };
  // The first one fills what is kept of the template.
  await useCopy(c);
  await expect.poll(() => countTenants(c)).toBe(2);
  const before = await getKept();
  for (let copy = 0; copy < COPIES; copy += 1) await useCopy(c);
  await expect.poll(() => countTenants(c)).toBe(2);
  await expect.poll(getKept).toEqual(before);
});

test('a loaded snapshot has no leased copies, whose connections may have ended since', async () => {
  await using c = await startControl();
  const { key, end } = await lease(c, 'first');
  expect((await c.post('/control/snapshots', { name: 'leased' })).status).toBe(200);
  end();
  await expect.poll(() => countTenants(c)).toBe(1);
  expect((await c.post('/control/snapshots/leased/load')).status).toBe(200);
  expect(await countTenants(c)).toBe(1);
  expect((await c.s.get('/v1/items', { key })).status).toBe(401);
});

test('a leased copy is removed although the store could not write when its connection ended', async () => {
  await using c = await startControl();
  const { end } = await lease(c, 'first');
  const failed = Promise.withResolvers<void>();
  const disk = vi.spyOn(fs, 'fdatasync').mockImplementation((_fd, done) => {
    done(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
    failed.resolve();
  });
  onTestFinished(() => disk.mockRestore());
  end();
  await failed.promise;
  await expect.poll(() => c.s.service.findStoreProblem()).toContain('EIO');
  expect(await countTenants(c)).toBe(2);
  disk.mockRestore();
  await expect.poll(() => countTenants(c)).toBe(1);
});
