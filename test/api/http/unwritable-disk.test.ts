/** `GET /readyz` of a service whose files cannot be written. */
import fs from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '../../support/service/service.ts';

test('a service whose store cannot write is not ready until the usage counters, which are saved every few seconds, are stored', async () => {
  await using s = await startService({ deliver: true });
  const checkReadiness = () => s.get('/readyz', { key: '' });
  const disk = vi
    .spyOn(fs, 'fdatasync')
    .mockImplementation((_fd, done) => done(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })));
  onTestFinished(() => disk.mockRestore());
  expect((await s.post('/v1/items', { name: 'Bolt' })).status).toBe(503);
  expect(await checkReadiness()).toMatchObject({ status: 503, body: { status: 'not ready', reason: 'store read-only' } });
  disk.mockRestore();
  await s.service.usage.save(s.service.store);
  expect(await checkReadiness()).toMatchObject({ status: 200, body: { status: 'ready' } });
});
