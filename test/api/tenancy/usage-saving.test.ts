/** GET /v1/usage while counts are being saved to files. With a database: test/store/postgres/usage-saving.test.ts. */
import fs from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startInMidMonth } from '../../support/service/mid-month.ts';
import { getCode } from '../../support/service/service.ts';

test('a request is counted once, at any moment of a save', async () => {
  await using s = await startInMidMonth();
  const { store, usage } = s.service;
  for (let made = 1; made <= 40; made += 1) {
    const [{ body }] = await Promise.all([s.get('/v1/usage'), usage.save(store)]);
    expect(body.data.requests.total).toBe(made);
  }
});

test('no request is lost or counted twice while the store cannot write', async () => {
  await using s = await startInMidMonth();
  const { store, usage } = s.service;
  const disk = vi
    .spyOn(fs, 'fdatasync')
    .mockImplementation((_fd, done) => done(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })));
  onTestFinished(() => disk.mockRestore());
  expect(getCode(await s.post('/v1/items', { name: 'Bolt' }))).toBe('STORE_UNAVAILABLE');
  for (let made = 2; made <= 10; made += 1) {
    const failed = usage.save(store).then(
      () => false,
      () => true,
    );
    expect((await s.get('/v1/usage')).body.data.requests.total).toBe(made);
    expect(await failed).toBe(true);
  }
  disk.mockRestore();
  await s.restart();
  expect((await s.get('/v1/usage')).body.data.requests).toEqual({
    total: 11,
    by_capability: [
      { capability: 'items.create', count: 1 },
      { capability: 'usage.get', count: 10 },
    ],
  });
  const { rows } = await s.service.store.read('', (tx) => tx.apiKeys.listAfter({ limit: 10 }));
  expect(rows.map(({ lastUsedAt }) => lastUsedAt)).toEqual([expect.any(String)]);
});
