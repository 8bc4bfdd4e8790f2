/** What happens to transactions when the connection is lost, with a proxy that cuts it at a chosen moment. */
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { StoreUnavailable } from '../../../src/domain/kernel/ports.ts';
import { createThing } from '../fixtures.ts';
import { withConnection } from '../../support/postgres/sql.ts';
import { putRows } from '../transactions.ts';
import { openStoreAt, takeUrl } from './stores.ts';

/**
 *   before   The connection is cut instead of forwarding a COMMIT to the server.
 *   after    The COMMIT is forwarded, and the connection is cut instead of its answer.
 */
type Cut = 'before' | 'after';

interface Proxy {
  readonly url: string;
  cut: Cut | undefined;
  /** Refuses connections while it is set. */
  isDown: boolean;
}

async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (proxy.isDown) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    let isCommitSent = false;
    const close = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) sockets.add(socket.on('error', close).on('close', close));
    client.on('data', (chunk: Buffer) => {
      // Not the COMMIT of a read, which changes nothing.
      const isCommit = chunk.includes('COMMIT\0') && chunk.includes('stockroom.tenant_heads') === chunk.includes('UPDATE');
      if (isCommit && proxy.cut === 'before') return close();
      isCommitSent ||= isCommit && proxy.cut === 'after';
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (!isCommitSent) return void client.write(chunk);
      // Ready for query, in no transaction: the server has committed.
      if (chunk.includes(Buffer.from('COMMIT\0Z\0\0\0\u0005I'))) {
        proxy.cut = undefined;
        close();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const proxy: Proxy = { url: url.href, cut: undefined, isDown: false };
  return proxy;
}

test('a transaction whose COMMIT got no answer is resolved when the server has committed it', async () => {
  const proxy = await startProxy(await takeUrl());
  const store = await openStoreAt(proxy.url);
  await putRows(store, [createThing('1', { size: 1 })]);
  proxy.cut = 'after';
  await store.transact('a', async (tx) => {
    const row = (await tx.things.get('1'))!;
    await tx.things.put({ ...row, size: row.size! + 1 });
  });
  expect(proxy.cut).toBeUndefined();
  expect((await store.read('a', (tx) => tx.things.get('1')))?.size).toBe(2);
});

test('a transaction whose COMMIT did not arrive is rejected and leaves no changes, and the next one succeeds', async () => {
  const proxy = await startProxy(await takeUrl());
  const store = await openStoreAt(proxy.url);
  await putRows(store, [createThing('1')]);
  proxy.cut = 'before';
  await expect(putRows(store, [createThing('2')])).rejects.toBeInstanceOf(StoreUnavailable);
  proxy.cut = undefined;
  expect((await store.read('a', (tx) => tx.things.listIdsAfter({ limit: 5 }))).ids).toEqual(['1']);
  await putRows(store, [createThing('2')]);
  expect(await store.read('a', (tx) => tx.things.count())).toBe(2);
});

test('calls are rejected while the database cannot be reached, and succeed afterwards', async () => {
  const proxy = await startProxy(await takeUrl());
  const store = await openStoreAt(proxy.url, { pollMs: 20 });
  await putRows(store, [createThing('1')]);
  proxy.isDown = true;
  proxy.cut = 'before';
  await expect(putRows(store, [createThing('2')])).rejects.toBeInstanceOf(StoreUnavailable);
  await expect.poll(() => store.unavailableReason).toContain('connection to the database was lost');
  proxy.isDown = false;
  proxy.cut = undefined;
  await expect.poll(() => store.unavailableReason).toBeUndefined();
  await putRows(store, [createThing('2')]);
  expect(await store.read('a', (tx) => tx.things.count())).toBe(2);
});

test.each(['tenant_heads', 'things_rows'])(
  'calls that wait for a lock of %s end as unavailable, and work once it is free',
  async (table) => {
    const url = await takeUrl();
    const store = await openStoreAt(url);
    const list = () => store.read('a', (tx) => tx.things.listIdsAfter({ limit: 10 }));
    await withConnection(url, async (query) => {
      await query(`BEGIN; LOCK TABLE stockroom.${table} IN ACCESS EXCLUSIVE MODE`);
      const results = await Promise.allSettled([list(), putRows(store, [createThing('1')])]);
      expect(results).toMatchObject([
        { reason: expect.any(StoreUnavailable) as unknown },
        { reason: expect.any(StoreUnavailable) as unknown },
      ]);
    });
    await putRows(store, [createThing('2')]);
    expect((await list()).ids).toEqual(['2']);
  },
);
