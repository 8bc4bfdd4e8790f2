/** Clients of the control port that disconnect while their request is handled. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { type TestControl, startControl } from '../../support/service/control.ts';

/** Sends a request whose client disconnects during the first call of this method of the store, before the call returns. */
async function disconnectDuring(
  { s, url, token, server }: TestControl,
  storeMethod: 'read' | 'transact',
  [method, path, body]: readonly ['GET' | 'POST', string, unknown?],
): Promise<void> {
  const { store } = s.service;
  const original = store[storeMethod].bind(store) as (...args: unknown[]) => Promise<unknown>;
  const client = new AbortController();
  const arrived = once(server.listener, 'request') as Promise<[unknown, ServerResponse]>;
  const called = Promise.withResolvers<void>();
  Object.assign(store, {
    async [storeMethod](...args: unknown[]) {
      Object.assign(store, { [storeMethod]: original });
      const result = await original(...args);
      const [, response] = await arrived;
      const closed = once(response, 'close');
      client.abort();
      await closed;
      called.resolve();
      return result;
    },
  });
  const sent = request(url + path, {
    method,
    signal: client.signal,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await expect(sent).rejects.toThrow(/abort/iu);
  await called.promise;
  // What follows the call does not wait for anything else.
  await setImmediate();
}

test('a leased copy is removed although its client has disconnected before it was made', async () => {
  await using c = await startControl();
  await disconnectDuring(c, 'transact', ['POST', '/control/tenants', { template: 'first', lease: true }]);
  await expect.poll(async () => (await c.get('/control/tenants')).body.data.length).toBe(1);
});

test('a feed whose client has disconnected before it starts has no subscriber', async () => {
  await using c = await startControl();
  await disconnectDuring(c, 'read', ['GET', '/control/feed?tenant=first']);
  expect(c.s.service.feed.hasSubscribers('event')).toBe(false);
});
